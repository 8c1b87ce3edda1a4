-- compatible-with: 0105
-- A search for words read every signature: a kilobyte for 64 findings. Now the signatures of 4,096 blocks, a segment, are also kept
-- turned by 90 degrees: for each bit, which of the blocks have it. A search reads only the slices of its own bits. Blocks keep
-- their signatures, which processes of the release before read.
create table finding_slice (
  deployment_id bigint not null references deployment (id) on delete cascade,
  -- Of the signature; 8192: every block of the segment.
  bit smallint not null,
  segment integer not null,
  blocks bit(4096) not null,
  primary key (deployment_id, bit, segment)
);
alter table finding_slice alter column blocks set storage plain;
call protect_tenant_table('finding_slice');

alter table finding_block add column segment integer;
-- Of its bit in the slices of the segment.
alter table finding_block add column place smallint;
create unique index finding_block_place on finding_block (deployment_id, segment, place) where segment is not null;
-- Blocks of which slices do not tell. Processes of the release before take the signature from a block that changed, and leave it the
-- segment; they give it no other signature, because what is in a segment has a horizon that none of their transactions passes.
create index finding_block_lone on finding_block (deployment_id, last_id) where segment is null or signature is null;
