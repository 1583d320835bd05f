import { Link, useRouterState } from '@tanstack/react-router'
import { useMe } from '../areas/identity/session.ts'
import { WorkspaceMenu } from '../areas/workspace/workspace-menu.tsx'
import { cn } from '../ui/cn.ts'
import { Icon } from '../ui/icons.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Brand } from './brand.tsx'
import { navPlaces, placeOf } from './nav.ts'
import { PaletteButton } from './palette-button.tsx'
import { useWaitingCounts, type WaitingKind } from './use-waiting-counts.ts'

const line =
	'flex min-h-8 items-center gap-2.5 rounded-md px-2.5 py-1 leading-4.5 font-medium text-ink-2 hover:bg-hover hover:text-ink'
const active = { className: 'bg-accent-soft text-accent! hover:bg-accent-soft' }

type Place = (typeof navPlaces)[number]
type Item = Place | Place['items'][number]

/** Next to the content, or in the menu of a narrow screen. */
export function SideBar({ inMenu = false }: { inMenu?: boolean }) {
	const here = useRouterState({ select: (state) => placeOf(state.location.pathname) })
	return (
		<div className="flex h-full flex-col">
			<div className="flex h-14 items-center justify-between gap-2 px-4">
				<Link to="/" aria-label="Signalbox: overview" className="flex">
					<Brand />
				</Link>
				<WorkspaceMenu />
			</div>
			<div className="px-2.5">
				<PaletteButton listens={!inMenu} />
			</div>
			<nav aria-label="Main" className="flex-1 overflow-y-auto px-2.5 py-3">
				<ul className="grid gap-px">
					{navPlaces.map((place) => (
						<PlaceLines key={place.label} place={place} isOpen={place === here} />
					))}
				</ul>
			</nav>
			<div className="grid gap-px border-t border-line p-2.5">
				<Link to="/docs/$" params={{ _splat: '' }} className={line}>
					<Icon name="docs" />
					<span className="flex-1">Documentation</span>
				</Link>
				<AccountMenu />
			</div>
		</div>
	)
}

/** A place with its screens if one of them is open; otherwise with the number of pending decisions on all of them. */
function PlaceLines({ place, isOpen }: { place: Place; isOpen: boolean }) {
	const { operator } = useMe()
	const waiting = useWaitingCounts()
	const items: readonly Item[] = place.items.filter((item) => operator || !('operator' in item))
	const counted = isOpen ? [place] : [place, ...items]
	return (
		<li className={cn(place.label === 'Settings' && 'mt-2 border-t border-line pt-2')}>
			<NavLine item={place} count={countOf(counted, waiting)} className={isOpen ? 'text-ink' : ''} />
			{isOpen && (
				<ul aria-label={place.label} className="mt-px mb-1 ml-4.5 grid gap-px border-l border-line pl-1.5">
					{items.map((item) => (
						<li key={item.label}>
							<NavLine item={item} count={countOf([item], waiting)} />
						</li>
					))}
				</ul>
			)}
		</li>
	)
}

function NavLine({ item, count, className }: { item: Item; count: number; className?: string }) {
	return (
		<Link
			{...item.link}
			title={`g then ${item.key}`}
			activeOptions={{ exact: item.link.to === '/', includeSearch: false }}
			activeProps={active}
			className={cn(line, className)}
		>
			<Icon name={item.icon} />
			<span className="flex-1">{item.label}</span>
			<WaitingCount count={count} />
		</Link>
	)
}

function countOf(items: readonly Item[], waiting: Record<WaitingKind, number>): number {
	return items.reduce((sum, item) => sum + ('waiting' in item ? waiting[item.waiting] : 0), 0)
}

/** The number of pending decisions behind a link; nothing if it is 0. */
function WaitingCount({ count }: { count: number }) {
	if (count === 0) return null
	return (
		<span className="rounded-full bg-warn-soft px-1.5 text-xs font-semibold text-warn tabular-nums">
			{count > 99 ? '99+' : count}
			<span className="sr-only"> waiting</span>
		</span>
	)
}
