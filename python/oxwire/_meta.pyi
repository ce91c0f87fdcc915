# What `Annotated` may say of a type. What is public is declared where it is public.
from . import Discriminator as Discriminator
from . import Meta as Meta

NAMES: tuple[str, ...]
