import {
	type CSSProperties,
	type KeyboardEvent,
	type PointerEvent,
	type ReactNode,
	useRef,
	useState,
} from 'react'

interface SplitPaneProps {
	/** The name under which the width is remembered. */
	name: string
	left: ReactNode
	right: ReactNode
	/** Below the left part; on narrow screens, last. */
	below?: ReactNode
	/** The initial share of the left part, in percent. */
	share?: number
}

const [least, most, step] = [20, 75, 4]

function remembered(key: string): number {
	try {
		return Number(localStorage.getItem(key))
	} catch {
		return 0
	}
}

/** Two parts side by side, with a divider that can be dragged, or moved with ← and →; on narrow screens one above the other. */
export function SplitPane({ name, left, right, below, share = 42 }: SplitPaneProps) {
	const place = useRef<HTMLDivElement>(null)
	const key = `split ${name}`
	const [percent, setPercent] = useState(() => remembered(key) || share)
	const set = (wanted: number) => {
		const next = Math.min(most, Math.max(least, Math.round(wanted)))
		setPercent(next)
		try {
			localStorage.setItem(key, String(next))
		} catch {
			// Without storage the width applies to this page only.
		}
	}
	const onMove = ({ clientX, currentTarget, pointerId }: PointerEvent<HTMLElement>) => {
		const box = place.current?.getBoundingClientRect()
		if (box && currentTarget.hasPointerCapture(pointerId)) set(((clientX - box.left) / box.width) * 100)
	}
	const onKey = (event: KeyboardEvent) => {
		const change = { ArrowLeft: -step, ArrowRight: step }[event.key]
		if (!change) return
		event.preventDefault()
		set(percent + change)
	}
	return (
		<div
			ref={place}
			style={{ '--left': `${percent}fr`, '--right': `${100 - percent}fr` } as CSSProperties}
			className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,var(--left))_1rem_minmax(0,var(--right))] lg:grid-rows-[auto_1fr] lg:gap-0"
		>
			<div className="min-w-0">{left}</div>
			{/* biome-ignore lint/a11y/useSemanticElements: an <hr> that can be moved is a control, not a separator */}
			<div
				role="separator"
				tabIndex={0}
				aria-label="Width of the parts"
				aria-orientation="vertical"
				aria-valuenow={percent}
				aria-valuemin={least}
				aria-valuemax={most}
				onKeyDown={onKey}
				onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
				onPointerMove={onMove}
				onDoubleClick={() => set(share)}
				className="group hidden h-full cursor-col-resize touch-none justify-center self-stretch lg:row-span-2 lg:flex"
			>
				<span className="my-2 w-0.5 rounded-full bg-transparent group-hover:bg-accent group-focus-visible:bg-accent" />
			</div>
			<div className="min-w-0 lg:sticky lg:top-4 lg:row-span-2 lg:max-h-[calc(100vh-2rem)] lg:overflow-y-auto">
				{right}
			</div>
			{below && <div className="min-w-0 lg:col-start-1 lg:row-start-2 lg:mt-4">{below}</div>}
		</div>
	)
}
