"""The templates of the pages; a package, so that they are installed with the code that fills them."""
