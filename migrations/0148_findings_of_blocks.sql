-- compatible-with: 0105
-- A search read the eight findings of each eighth of a block for the one that has its words. Each 64th of the ids of a block, which is
-- one finding where no id is left out, has a signature of its own now, of 256 bits. They are kept turned by 90 degrees: for each bit,
-- which of the 64 have it. Blocks that were signed before are signed again, some at a time. No release had the former column.
alter table finding_block drop column parts;
alter table finding_block add column part_bits bit(16384);
alter table finding_block alter column part_bits set storage plain;
create index finding_block_to_sign on finding_block (deployment_id, last_id) where signature is null or part_bits is null;
