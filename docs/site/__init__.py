"""The site: the pages of docs and their neighbours, built for a browser ('make site')."""
