-- What a finding is known by beyond its fingerprint, so that a decision stays with the code it was made about. Of findings that
-- have neither yet, the next upload fills the first in; the second counts as false for them.
alter table finding
  -- Hashes of the code it points at and of what is around it: see formats/sarif/content.ts. '' where nobody told them.
  add column context text collate "C" not null default '',
  -- The last complete observation did not have it. What a person ignored stays ignored then, and is not counted as there.
  add column absent boolean not null default false;
