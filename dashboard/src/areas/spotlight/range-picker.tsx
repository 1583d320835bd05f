import { lazy, Suspense, useState } from 'react'
import { describeRange, presets, type TimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'

const CustomRange = lazy(async () => ({ default: (await import('./custom-range.tsx')).CustomRange }))

interface RangePickerProps {
	range: TimeRange
	onChange(range: TimeRange): void
}

/** The range of a screen, which is part of the URL. */
export function RangePicker({ range, onChange }: RangePickerProps) {
	const [isCustom, setIsCustom] = useState(false)
	return (
		<>
			<Menu
				trigger={
					<Button>
						{describeRange(range)}
						<Icon name="down" className="size-3.5 text-ink-3" />
					</Button>
				}
			>
				{presets.map(({ start, label }) => (
					<MenuItem key={start} checked={range.start === start} onSelect={() => onChange({ start })}>
						{label}
					</MenuItem>
				))}
				<MenuLine />
				<MenuItem onSelect={() => setIsCustom(true)}>Custom range…</MenuItem>
			</Menu>
			{isCustom && (
				<Suspense>
					<CustomRange range={range} onClose={() => setIsCustom(false)} onChange={onChange} />
				</Suspense>
			)}
		</>
	)
}
