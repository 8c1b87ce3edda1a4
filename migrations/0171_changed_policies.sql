-- compatible-with: 0105
-- When a policy or one of its rules was last changed; null where that was before anybody noted it. Uploads that came before it are
-- looked at again when they are repeated.
alter table policy add column changed_at timestamp(3) with time zone;
