import type { Actor } from '../../kernel/access/actor.ts'
import type { ScimAdapter } from '../../kernel/contract/adapters/scim-adapter.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { createScimAnswers } from './scim/answer.ts'
import { createGroups } from './scim/groups.ts'
import { createUsers, type Inviting } from './scim/users.ts'
import { createSettings, requireEnabled } from './settings.ts'
import { find } from './store.ts'

type ProvisioningOptions = { db: Database; clock: Clock; publicUrl: string; inviting: Inviting }

/** What a directory sends, and what owners say about it. */
export function createProvisioning({ db, clock, publicUrl, inviting }: ProvisioningOptions) {
  const settings = createSettings({ db, clock, publicUrl })
  const check = async (actor: Actor) => requireEnabled(await find(db.as(actor)), actor)
  const answer = createScimAnswers({
    users: createUsers({ db, clock, inviting }),
    groups: createGroups({ db, clock }),
    check,
  })
  const adapter: ScimAdapter = { answer, note: settings.note }
  return { settings, adapter }
}
