/**
 * `npm run test:deep`: what takes too long, or needs too much from outside, for every change. The files are
 * `test/deep/*.deep.ts`, and the models, fuzzers and kill loops of the usual tests with ten times as many rounds
 * (`test/depth.ts`). Arguments narrow them down, as those of `npm test` do.
 */
process.env.GATEHOUSE_DEEP = '1'
await import('./test.ts')

export {}
