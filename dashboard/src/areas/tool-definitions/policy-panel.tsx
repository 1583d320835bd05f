import { useId } from 'react'
import { FormPanel } from '../../ui/settings-panels.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useCan } from '../identity/session.ts'
import { type Policy, useSetPolicy } from './queries.ts'

const choices = [
	{
		value: 'keep-approved',
		label: 'Keep what was approved',
		text: 'Agents keep the approved definition as long as calls that follow it stay valid; otherwise the tool waits for approval. So does a new tool that a grant would allow.',
	},
	{
		value: 'suspend',
		label: 'Suspend what changed',
		text: 'Agents do not see a changed tool until somebody approves it. The same holds for a new tool that a grant would allow.',
	},
	{
		value: 'allow',
		label: 'Allow changes',
		text: 'Changed and new tools are accepted, recorded and announced without review, even if they contain hidden text.',
	},
] as const satisfies readonly { value: Policy; label: string; text: string }[]

/** What happens when a definition changes that agents already use. */
export function PolicyPanel({ serverId, policy }: { serverId: string; policy: Policy }) {
	const group = useId()
	const canChange = useCan('servers:write')
	const edited = useDraft({ policy }, `policy of ${serverId}`)
	const { draft, setDraft } = edited
	const save = useSetPolicy(serverId, policy)
	return (
		<FormPanel
			title="When the server changes a tool"
			busy={save.isPending}
			edited={edited}
			disabled={!canChange}
			error={save.error}
			onSave={() => save.mutate(draft.policy)}
		>
			<fieldset disabled={!canChange} className="grid gap-3">
				<legend className="sr-only">Definition policy</legend>
				{choices.map(({ value, label, text }) => (
					<label key={value} className="flex items-start gap-2.5">
						<input
							type="radio"
							name={group}
							checked={draft.policy === value}
							onChange={() => setDraft({ policy: value })}
							className="mt-0.5 size-4 shrink-0 accent-accent"
						/>
						<span>
							<span className="font-medium">{label}</span>
							<span className="block text-ink-2">{text}</span>
						</span>
					</label>
				))}
			</fieldset>
		</FormPanel>
	)
}
