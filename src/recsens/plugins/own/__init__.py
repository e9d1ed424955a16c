"""Users' own plug-ins: import them, enforce their contract, and report mistakes with file and line."""

from recsens.plugins.own._class_checks import explained, files_beside, refuse_mistakes
from recsens.plugins.own._contract import Call, enforce, returns
from recsens.plugins.own._modules import add_paths, import_own, is_own, line_of
