import { useAsk, useChange } from '../../api/ask.ts'
import { Select } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Part } from '../../ui/states.tsx'
import { plural } from '../../ui/text/words.ts'

/** Fires an automation by hand on one finding. Its conditions are asked as always. */
export function FireDialog({ findingId, onClose }: { findingId: string; onClose: () => void }) {
  const asked = useAsk('listAutomations')
  const fire = useChange('fireAutomation', ['listAutomationRuns', 'getFinding', 'searchFindings', 'countFindings'])
  return (
    <FormDialog
      title="Fire an automation on this finding"
      action="Fire it"
      onClose={onClose}
      run={async (form) => {
        const { subjects } = await fire.mutateAsync({
          params: { automationId: Number(form.text('automation')) },
          body: { findingIds: [findingId] },
        })
        say(
          subjects.length === 0
            ? 'This finding does not match its conditions.'
            : `It acts on ${plural(subjects.length, 'finding')}.`,
          subjects.length === 0 ? undefined : 'no undo',
        )
      }}
    >
      {() => (
        <Part of={asked} lines={2}>
          {({ automations }) => (
            <Select
              label="Automation"
              name="automation"
              required
              choices={automations.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
        </Part>
      )}
    </FormDialog>
  )
}
