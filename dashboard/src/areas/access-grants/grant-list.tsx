import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import type { IconName } from '../../ui/icons.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { NewGrantDialog } from './new-grant-dialog.tsx'

interface GrantListProps {
	/** What is chosen for a new grant: `Server` on an agent's screen, `Agent` on a server's. */
	label: string
	/** Those that have no grant made by hand. */
	choices: readonly { id: string; name: string }[]
	ends(chosenId: string): { serverId: string; agentId: string }
	empty: { icon: IconName; title: string; text: string; action: ReactNode | null }
	/** The cards of the grants. */
	children: readonly ReactNode[]
}

/** The grants of one agent or of one server, with a button for a new one. */
export function GrantList({ label, choices, ends, empty, children }: GrantListProps) {
	const [isOpen, setIsOpen] = useState(false)
	const grantButton = (
		<Button
			variant="primary"
			icon="plus"
			disabled={!useCan('access:write') || choices.length === 0}
			onClick={() => setIsOpen(true)}
		>
			Grant access
		</Button>
	)
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-3">
			<RoleHint needs="access:write" what="change access" />
			{children.length === 0 ? (
				<Panel>
					<Empty icon={empty.icon} title={empty.title} action={empty.action ?? grantButton}>
						{empty.text}
					</Empty>
				</Panel>
			) : (
				<>
					<div className="flex justify-end">{grantButton}</div>
					{children}
				</>
			)}
			<NewGrantDialog
				open={isOpen}
				onClose={() => setIsOpen(false)}
				label={label}
				choices={choices}
				ends={ends}
			/>
		</div>
	)
}
