import { useRef, useState } from 'react'
import { ApiError } from '../../api.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Notice } from '../../ui/notice.tsx'
import { InlineError } from '../../ui/states.tsx'
import { useCan } from '../identity/session.ts'
import { type PinnedTool, useDecide } from './queries.ts'

interface DefinitionDecisionProps {
	serverId: string
	tool: PinnedTool
	/** Hash of the definition that is shown above. */
	hash: string
}

/** Approves or rejects exactly the definition that is shown; a and r move the focus to the buttons. */
export function DefinitionDecision({ serverId, tool, hash }: DefinitionDecisionProps) {
	const canChange = useCan('servers:write')
	const [isWarned, setIsWarned] = useState(false)
	const approve = useRef<HTMLButtonElement>(null)
	const reject = useRef<HTMLButtonElement>(null)
	const decide = useDecide(serverId)
	const run = (decision: 'approve' | 'reject') => decide.mutateAsync([{ name: tool.name, hash, decision }])
	const isFlagged = tool.flags.some(({ severity }) => severity === 'high')
	useKeys({ a: () => approve.current?.focus(), r: () => reject.current?.focus() })
	return (
		<div className="grid gap-3 border-t border-line pt-4">
			<div className="flex flex-wrap gap-2">
				<Button
					ref={approve}
					variant="primary"
					icon="check"
					title="a, then Enter"
					disabled={!canChange}
					busy={decide.isPending}
					onClick={() => (isFlagged ? setIsWarned(true) : void run('approve').catch(() => {}))}
				>
					Approve definition
				</Button>
				{tool.pending && (
					<Button
						ref={reject}
						variant="danger"
						icon="block"
						title="r, then Enter"
						disabled={!canChange}
						busy={decide.isPending}
						onClick={() => void run('reject').catch(() => {})}
					>
						Reject definition
					</Button>
				)}
			</div>
			{decide.error && <Failure error={decide.error} />}
			<Confirm
				open={isWarned}
				onClose={() => setIsWarned(false)}
				title="Approve a definition with hidden text?"
				text="It has a high-severity flag: agents would read text that people cannot see."
				action="Approve definition"
				run={() => run('approve')}
			/>
		</div>
	)
}

function Failure({ error }: { error: unknown }) {
	if (!(error instanceof ApiError && error.code === 'conflict')) return <InlineError error={error} />
	return (
		<Notice tone="bad" title="Nothing was decided">
			{error.message}
		</Notice>
	)
}
