"""Users' own plug-ins: import them, enforce their contract, and report mistakes with file and line."""

from recsens.plugins.own._contract import Call, enforce, files_beside, import_error, refuse_mistakes, returns
from recsens.plugins.own._modules import add_paths, import_own, is_own, line_of
