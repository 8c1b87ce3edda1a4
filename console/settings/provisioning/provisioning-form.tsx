import type { Provisioning } from '../../../src/capabilities/provisioning/contract.ts'
import { useChange, useFresh } from '../../api/ask.ts'
import { Select, Textarea } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { roleAbout } from '../words.ts'
import { readRules, writeRules } from './rules.ts'

type Role = Provisioning['defaultRole']
type Props = {
  provisioning: Provisioning
  etag: string | undefined
  teams: readonly { id: string | number; name: string }[]
  onClose: () => void
}

const choices = (['member', 'readonly', 'admin'] as const).map((role) => ({
  value: role,
  label: `${role}: ${roleAbout[role]}`,
}))

/** What new people get, and what groups of the directory give. */
export function ProvisioningDialog({ provisioning, etag, teams, onClose }: Props) {
  const update = useChange('updateProvisioning', ['getProvisioning', 'listPeople', 'listTeams'])
  const fresh = useFresh('getProvisioning')
  return (
    <FormDialog
      title="Roles and teams"
      action="Save"
      wide
      onClose={onClose}
      current={async () => {
        const { data, etag: now } = await fresh({})
        const { defaultRole, rules } = data.provisioning
        const fields = [
          { name: 'defaultRole', label: 'Role of new people', value: defaultRole },
          { name: 'rules', label: 'Groups', value: writeRules(rules, teams) },
        ]
        return { etag: now, fields }
      }}
      etag={etag}
      run={async (form, ifMatch) => {
        const body = { defaultRole: form.text('defaultRole') as Role, rules: readRules(form.text('rules'), teams) }
        await update.mutateAsync({ body, ifMatch })
        say('Saved. Roles and teams of provisioned people follow it now.', 'no undo')
      }}
    >
      {(about) => (
        <>
          <Select
            label="Role of new people"
            name="defaultRole"
            defaultValue={provisioning.defaultRole}
            choices={choices}
          />
          <Textarea
            label="What groups give, one a line: group = role, team name"
            name="rules"
            rows={8}
            defaultValue={writeRules(provisioning.rules, teams)}
            hint="Of several roles, the one that allows most. Without any role here, roles are left to people. Owners stay owners."
            wrong={about('/rules')}
          />
        </>
      )}
    </FormDialog>
  )
}
