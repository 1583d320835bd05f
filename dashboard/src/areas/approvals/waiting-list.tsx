import { useEffect, useRef, useState } from 'react'
import { useKeys } from '../../lib/use-keys.ts'
import type { Decision } from './decision-form.tsx'
import type { Approval } from './queries.ts'
import { WaitingCard } from './waiting-card.tsx'

interface WaitingListProps {
	approvals: readonly Approval[]
	/** Number of pending calls; there may be more than are shown. */
	total: number
}

/** The pending calls, which can be decided by mouse or keyboard: j and k choose, a approves, d denies, Escape cancels. */
export function WaitingList({ approvals, total }: WaitingListProps) {
	const [chosenId, setChosenId] = useState<string | null>(null)
	const [asked, setAsked] = useState<{ id: string; decision: Decision } | null>(null)
	const shouldFocus = useRef(false)
	const lastPlace = useRef(0)
	const found = approvals.findIndex(({ id }) => id === chosenId)
	// After a decision the next call takes its place.
	const place = found < 0 ? Math.min(lastPlace.current, approvals.length - 1) : found
	const chosen = approvals[place]
	const isGone = asked !== null && !approvals.some(({ id }) => id === asked.id)
	useEffect(() => {
		lastPlace.current = place
		if (isGone) setAsked(null)
		if (!(shouldFocus.current || isGone) || !chosen) return
		shouldFocus.current = false
		document.getElementById(`approval-${chosen.id}`)?.focus()
	})
	const choose = (next: Approval | undefined) => {
		if (!next) return
		shouldFocus.current = true
		setChosenId(next.id)
	}
	const ask = (id: string, decision: Decision | null) => {
		if (decision === null) shouldFocus.current = true
		setAsked(decision && { id, decision })
	}
	useKeys({
		j: () => choose(chosenId === null ? approvals[0] : approvals[place + 1]),
		k: () => choose(approvals[Math.max(0, place - 1)]),
		a: () => chosen && ask(chosen.id, 'approve'),
		d: () => chosen && ask(chosen.id, 'deny'),
	})
	return (
		<>
			<ul aria-label="Waiting calls" className="grid grid-cols-[minmax(0,1fr)] gap-3">
				{approvals.map((approval, index) => (
					<WaitingCard
						key={approval.id}
						approval={approval}
						place={index + 1}
						isChosen={approval.id === chosen?.id}
						asked={asked?.id === approval.id ? asked.decision : null}
						onChoose={() => setChosenId(approval.id)}
						onAsk={(decision) => ask(approval.id, decision)}
					/>
				))}
			</ul>
			{total > approvals.length && (
				<p className="mt-2 text-ink-2">{total - approvals.length} more wait; they follow as you decide.</p>
			)}
		</>
	)
}
