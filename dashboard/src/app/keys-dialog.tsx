import { Dialog } from '../ui/dialog.tsx'
import { scrollRegion } from '../ui/scroll-region.ts'
import { navItems } from './nav.ts'

/** Every keyboard shortcut of the dashboard, by where it works. Those that open a place come from the navigation itself. */
const keys: readonly { where: string; keys: readonly (readonly [keys: string, what: string])[] }[] = [
	{
		where: 'Everywhere',
		keys: [
			['Ctrl K or ⌘ K', 'Search for anything'],
			['?', 'Show these keys'],
			['Esc', 'Close a dialog or a menu'],
		],
	},
	{
		where: 'Trace',
		keys: [
			['j, k or ↓, ↑', 'Next or previous span'],
			['→, ←', 'Unfold or fold a span or a run of equal calls'],
			['Home, End, PgUp, PgDn', 'Far through the spans'],
			['Enter', 'Go to span details'],
			['Esc', 'Back to the spans'],
		],
	},
	{
		where: 'Session',
		keys: [
			['j, k', 'Next or previous call'],
			['→, ←', 'Unfold or fold equal calls'],
			['Enter', 'Choose the call; once more opens it'],
		],
	},
	{
		where: 'Tables',
		keys: [
			['j, k or ↓, ↑', 'Next or previous row'],
			['Enter', 'Open the row'],
			['Space', 'Select the row to compare'],
		],
	},
	{ where: 'Go to', keys: navItems.map(({ key, label }) => [`g then ${key}`, label] as const) },
]

export function KeysDialog({ onClose }: { onClose(): void }) {
	return (
		<Dialog open wide onClose={onClose} title="Keyboard shortcuts">
			<div {...scrollRegion('List of keys')} className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
				{keys.map(({ where, keys }) => (
					<section key={where} className={where === 'Go to' ? 'sm:col-span-2' : ''}>
						<h3 className="mb-1 font-semibold">{where}</h3>
						<dl className={where === 'Go to' ? 'grid gap-x-8 sm:grid-cols-2' : ''}>
							{keys.map(([press, what]) => (
								<div key={press} className="flex min-h-7 items-center justify-between gap-3">
									<dt className="text-ink-2">{what}</dt>
									<dd>
										<kbd className="rounded border border-line bg-sunken px-1.5 py-0.5 font-sans text-xs whitespace-nowrap">
											{press}
										</kbd>
									</dd>
								</div>
							))}
						</dl>
					</section>
				))}
			</div>
		</Dialog>
	)
}
