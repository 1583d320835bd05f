import { cn } from '../../ui/cn.ts'

interface ChangeProps {
	now: number | null | undefined
	before: number | null | undefined
	moreIsWorse?: boolean
}

/** The change since the previous range; nothing if there is nothing to compare with, or no change. */
export function Change({ now, before, moreIsWorse }: ChangeProps) {
	if (now === null || now === undefined || !before) return null
	const share = now / before - 1
	if (Math.abs(share) < 0.005) return null
	const isMore = share > 0
	const text = Math.abs(share) >= 9.995 ? '>10×' : `${Math.abs(share * 100).toFixed(0)} %`
	return (
		<span
			title="Compared to the previous period"
			className={cn(
				'text-xs font-medium tabular-nums',
				moreIsWorse ? (isMore ? 'text-bad' : 'text-ok') : 'text-ink-3',
			)}
		>
			<span aria-hidden="true">{isMore ? '↑' : '↓'}</span>
			<span className="sr-only">{isMore ? 'up' : 'down'}</span> {text}
		</span>
	)
}
