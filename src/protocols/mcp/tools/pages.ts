import Type from 'typebox'

/** What a model reads at once. */
export const pageSize = 25

export const pageCursor = Type.String({ maxLength: 4_000, description: 'The nextCursor of the page before' })
