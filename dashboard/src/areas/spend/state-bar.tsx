import { serverNowMs } from '../../lib/clock.ts'
import { cn } from '../../ui/cn.ts'
import { Until } from '../../ui/time.tsx'
import { formatAmount, isUsedUp } from './describe-budget.ts'
import type { Budget, BudgetState } from './queries.ts'

interface Props {
	state: BudgetState
	limit: string
	unit: Budget['unit']
}

/** The parts of an amount: spent, held for running calls, uncertain, and left. */
export function StateBar({ state, limit, unit }: Props) {
	const share = (amount: string) => (Number(amount) / Number(limit)) * 100
	const parts = [
		['spent', state.spent, isUsedUp(state) ? 'bg-bad' : 'bg-accent'],
		['reserved', state.reserved, 'bg-warn'],
		['uncertain', state.uncertain, 'bg-other'],
	] as const
	return (
		<div className="min-w-52">
			<div aria-hidden="true" className="flex h-2 overflow-hidden rounded-full bg-line">
				{parts.map(([name, amount, colour]) => (
					<span
						key={name}
						className={cn('h-full forced-color-adjust-none', colour)}
						style={{ width: `${Math.min(100, share(amount))}%` }}
					/>
				))}
			</div>
			<p className="mt-1 flex flex-wrap gap-x-3 text-xs text-ink-2 tabular-nums">
				{parts.map(([name, amount, colour]) =>
					name === 'spent' || amount !== '0' ? (
						<span key={name} className="inline-flex items-center gap-1">
							<span className={cn('size-2 rounded-xs forced-color-adjust-none', colour)} />
							{formatAmount(amount, unit)} {name}
							{name === 'spent' && ` (${Math.floor(share(amount))} %)`}
						</span>
					) : null,
				)}
				<span>{formatAmount(state.left, unit)} left</span>
				{Date.parse(state.window_end) > serverNowMs() + 1000 && (
					<span className="text-ink-3">
						renews <Until at={state.window_end} />
					</span>
				)}
			</p>
		</div>
	)
}
