import { Button } from '../../ui/button.tsx'
import { DecisionForm, type Verdict } from './decision-form.tsx'
import type { Approval } from './queries.ts'

interface DecisionProps {
	approval: Approval
	/** Which second step is open. */
	asked: Verdict | null
	onAsk(verdict: Verdict | null): void
}

/** Approve or deny, each with a second step in the same place. */
export function Decision({ approval, asked, onAsk }: DecisionProps) {
	if (asked)
		return <DecisionForm key={asked} approval={approval} verdict={asked} onCancel={() => onAsk(null)} />
	return (
		<div className="flex flex-wrap gap-2">
			<Button variant="primary" icon="check" title="a" onClick={() => onAsk('approve')}>
				Approve…
			</Button>
			<Button variant="danger" icon="block" title="d" onClick={() => onAsk('deny')}>
				Deny…
			</Button>
		</div>
	)
}
