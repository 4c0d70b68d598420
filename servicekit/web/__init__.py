"""The design of the pages that people open: the skeleton of a document, the frame of a page, the style, the icon."""
