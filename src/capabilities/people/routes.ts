import type { Api } from '../../kernel/api.ts'
import { addPerson, changePassword, changePerson, listPeople, removePerson } from './contract.ts'
import type { PeopleService } from './service.ts'

export function peopleRoutes(api: Api, people: PeopleService): void {
  api.serve(listPeople, ({ actor }) => people.list(actor))
  api.serve(addPerson, ({ actor, body }) => people.add(actor, body))
  api.serve(changePerson, async ({ actor, params, body }) => ({
    person: await people.changeRole(actor, params.personId, body.role),
  }))
  api.serve(removePerson, async ({ actor, params }) => ({ person: await people.remove(actor, params.personId) }))
  api.serve(changePassword, async ({ caller, body }) => {
    await people.changePassword(caller, body.current, body.next)
    return { changed: true }
  })
}
