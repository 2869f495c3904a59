"""The Flask application: pages, the JSON API and the front end. Imports judge; nothing imports it."""
