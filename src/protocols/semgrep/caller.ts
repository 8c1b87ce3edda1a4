import { findDeployment } from '../../capabilities/deployments/public.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/database/database.ts'

/** Whose a token is, as `semgrep login` and `semgrep show` want to know it. */
export function describeCaller(db: Database) {
  async function deployment(actor: Actor) {
    const row = await findDeployment(db.as(actor))
    const { id, name, slug } = row!
    return { deployment: { id, name: slug, display_name: name, slug } }
  }

  function identity({ personId, deploymentId, role }: Actor) {
    return { person_id: personId, deployment_id: deploymentId, role }
  }

  return { deployment, identity }
}
