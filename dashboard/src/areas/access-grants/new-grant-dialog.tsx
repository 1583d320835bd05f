import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { toolsQuery } from '../servers/queries.ts'
import { GrantEditor } from './grant-editor.tsx'
import { useGrant } from './queries.ts'

interface NewGrantDialogProps {
	open: boolean
	onClose(): void
	/** What is chosen here: `Server` on an agent's screen, `Agent` on a server's. */
	label: string
	choices: readonly { id: string; name: string }[]
	/** The agent and the server of the grant if this one is chosen. */
	ends(chosenId: string): { serverId: string; agentId: string }
}

/** Creates a grant: the other side is chosen first, then its tools. */
export function NewGrantDialog({ open, onClose, label, choices, ends }: NewGrantDialogProps) {
	const [chosenId, setChosenId] = useState('')
	const id = choices.some((choice) => choice.id === chosenId) ? chosenId : (choices[0]?.id ?? '')
	return (
		<Dialog open={open} onClose={onClose} title="Grant access" wide>
			<div className="grid gap-4">
				<Field label={label}>
					{(field) => (
						<Select {...field} value={id} onChange={(event) => setChosenId(event.target.value)}>
							{choices.map((choice) => (
								<option key={choice.id} value={choice.id}>
									{choice.name}
								</option>
							))}
						</Select>
					)}
				</Field>
				{id && <ToolChoice key={id} {...ends(id)} onDone={onClose} />}
			</div>
		</Dialog>
	)
}

function ToolChoice({ serverId, agentId, onDone }: { serverId: string; agentId: string; onDone(): void }) {
	const { data, error } = useQuery(toolsQuery(serverId))
	const { create } = useGrant(serverId, agentId)
	if (error) return <InlineError error={error} />
	if (!data) return <SkeletonRows />
	return (
		<>
			<GrantEditor
				name={`${serverId} ${agentId}`}
				granted={null}
				tools={data.tools}
				action="Grant access"
				busy={create.isPending}
				onSave={(choice) => create.mutateAsync(choice).then(onDone)}
			/>
			{create.error && <InlineError error={create.error} />}
		</>
	)
}
