-- compatible-with: 0105
-- What advisories say about the last affected versions on PyPI covers their local builds. Stored ranges do not, so feeds are read again
-- although they have not changed: only records that come out otherwise are written.
update vulnerability_feed set tag = '';
