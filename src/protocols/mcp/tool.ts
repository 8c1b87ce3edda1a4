import type { Static, TObject } from 'typebox'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Permission } from '../../kernel/access/permission.ts'
import type { Confirm } from './confirmation.ts'

/** One tool, as data: what clients are told of it, and what it takes to call it, come from here. */
export type Tool<I extends TObject = TObject> = {
  readonly name: string
  readonly title: string
  /** For the model: what it is for, and when. */
  readonly description: string
  /** The caller needs all of them. */
  readonly permissions: readonly Permission[]
  readonly input: I
  /** It changes something, once a person has confirmed it. */
  readonly changes?: true
  /** It asks registries outside. */
  readonly asksOutside?: true
  call(actor: Actor, input: Static<I>, confirm: Confirm): Promise<object>
}

/** Bound to its input here, and one of many from here on. */
export function tool<I extends TObject>(definition: Tool<I>): Tool {
  return definition as unknown as Tool
}

export function mayCall({ permissions }: Pick<Tool, 'permissions'>, actor: Actor): boolean {
  return permissions.every((permission) => actor.permissions.has(permission))
}

/** As `tools/list` has it. */
export function shownTool({ name, title, description, input, changes, asksOutside }: Tool): object {
  return {
    name,
    title,
    description,
    inputSchema: { ...input, additionalProperties: false },
    annotations: {
      title,
      readOnlyHint: !changes,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: asksOutside === true,
    },
  }
}
