import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { type Approval, useDecisions } from './queries.ts'

/** Revokes an approval that no call has used, or that is valid for a period. */
export function RevokeButton({ approval, small = false }: { approval: Approval; small?: boolean }) {
	const [isOpen, setIsOpen] = useState(false)
	const { revoke } = useDecisions(approval)
	const { tool, agent, for_minutes } = approval
	return (
		<>
			<Button small={small} variant="danger" onClick={() => setIsOpen(true)}>
				Revoke
			</Button>
			<Confirm
				open={isOpen}
				onClose={() => setIsOpen(false)}
				title="Revoke the approval?"
				text={
					for_minutes === null
						? `The call of ${tool} by ${agent.name} has not run yet. If it is sent again, a new approval is requested.`
						: `From now on each call of ${tool} by ${agent.name} needs an approval.`
				}
				action="Revoke approval"
				run={() => revoke.mutateAsync()}
			/>
		</>
	)
}
