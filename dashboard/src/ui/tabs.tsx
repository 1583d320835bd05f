import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { formatCount } from '../lib/format.ts'

interface TabsProps<T extends string> {
	label: string
	value: T
	onChange(value: T): void
	tabs: readonly { value: T; label: string; count?: number | undefined; content: ReactNode }[]
}

export function Tabs<T extends string>({ label, value: asked, onChange, tabs }: TabsProps<T>) {
	// An address that somebody typed may name a tab that does not exist.
	const value = tabs.some((tab) => tab.value === asked) ? asked : (tabs[0]?.value ?? asked)
	return (
		<Radix.Root value={value} onValueChange={(next) => onChange(next as T)}>
			<Radix.List aria-label={label} className="relative flex gap-1 overflow-x-auto border-b border-line">
				{tabs.map((tab) => (
					<Radix.Trigger
						key={tab.value}
						value={tab.value}
						ref={tab.value === value ? reveal : null}
						className="-mb-px flex h-9 items-center gap-1.5 whitespace-nowrap border-b-2 border-transparent px-2.5 font-medium text-ink-2 -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
					>
						{tab.label}
						{tab.count !== undefined && (
							<span className="rounded-full bg-sunken px-1.5 text-xs text-ink-2 tabular-nums">
								{formatCount(tab.count)}
							</span>
						)}
					</Radix.Trigger>
				))}
			</Radix.List>
			{tabs.map((tab) => (
				<Radix.Content key={tab.value} value={tab.value} className="pt-4">
					{tab.content}
				</Radix.Content>
			))}
		</Radix.Root>
	)
}

/** On a narrow screen the tabs scroll sideways; the chosen one must be visible. */
function reveal(tab: HTMLElement | null): void {
	const list = tab?.parentElement
	if (!tab || !list) return
	const past = tab.offsetLeft + tab.offsetWidth - list.clientWidth
	if (past > list.scrollLeft) list.scrollLeft = past
}
