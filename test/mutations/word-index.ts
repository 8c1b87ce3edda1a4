import type { Mutation } from './mutation.ts'

export const wordIndex: Mutation[] = [
  {
    id: 'search-mask',
    protection: 'A search for words is one statement, however many words it has.',
    file: 'src/capabilities/findings/word-index/narrowing.ts',
    find: 'return join([sql`(b.signature & ${mask(all)}) = ${mask(all)}`, ',
    replace: 'return join([...all.map((bit) => sql`get_bit(b.signature, ${bit}) = 1`), ',
    tests: ['src/capabilities/findings/search/search.test.ts'],
  },
  {
    id: 'changed-block-leaves-segment',
    protection: 'A search finds what findings say since their block was sliced.',
    file: 'src/capabilities/findings/word-index/block-store.ts',
    find: 'part_bits = t.parts::${ofParts}, segment = null,\n      place = null, ',
    replace: 'part_bits = t.parts::${ofParts}, ',
    tests: ['src/capabilities/findings/word-index/indexing.test.ts'],
  },
  {
    id: 'block-without-signature-read-whole',
    protection: 'A search reads all of a block whose signature a process of the release before took.',
    file: 'src/capabilities/findings/word-index/narrowing.ts',
    find: 'case when b.signature is not null then ${partsOf(sql`b.part_bits`)} end as parts',
    replace: '${partsOf(sql`b.part_bits`)} as parts',
    tests: ['src/capabilities/findings/word-index/indexing.test.ts'],
  },
  {
    id: 'signed-beyond-older-processes',
    protection: 'A process of the release before does not sign a block again whose parts it knows nothing of.',
    file: 'src/capabilities/findings/word-index/block-store.ts',
    find: '      place = null, horizon = ${passed}\n',
    replace: '      place = null\n',
    tests: ['src/capabilities/findings/word-index/indexing.test.ts'],
  },
  {
    id: 'one-finding-of-a-block',
    protection: 'A search reads of a block only the findings that may have the words.',
    file: 'src/capabilities/findings/word-index/narrowing.ts',
    find: '  if (parts === undefined) return [block]',
    replace: '  if (parts !== undefined || block) return [block]',
    tests: ['src/capabilities/findings/word-index/indexing.test.ts'],
  },
]
