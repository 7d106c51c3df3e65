"""The server of the page: HTTP, guarded routes, uploads and the files of the page. It knows
nothing of trees."""
