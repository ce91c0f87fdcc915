# What `Annotated` may say of a type. What is public is declared where it is public.
from . import Convert as Convert
from . import Discriminator as Discriminator
from . import Meta as Meta
from . import Validate as Validate

NAMES: tuple[str, ...]

def worded(metas: tuple[Meta, ...]) -> dict[str | None, str]: ...
