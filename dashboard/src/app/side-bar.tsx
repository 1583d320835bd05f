import { Link } from '@tanstack/react-router'
import { useMe } from '../areas/identity/session.ts'
import { WorkspaceMenu } from '../areas/workspace/workspace-menu.tsx'
import { basePath } from '../lib/base-url.ts'
import { Icon } from '../ui/icons.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Brand } from './brand.tsx'
import { navGroups } from './nav.ts'
import { PaletteButton } from './palette-button.tsx'
import { useWaitingCounts } from './use-waiting-counts.ts'

const line =
	'flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium text-ink-2 hover:bg-hover hover:text-ink'

/** Beside the content, or in the menu of a narrow screen. */
export function SideBar({ inMenu = false }: { inMenu?: boolean }) {
	const { operator } = useMe()
	const waiting = useWaitingCounts()
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
			<nav aria-label="Main" className="flex-1 overflow-y-auto px-2.5 pb-4">
				{navGroups.map((group) => (
					<div key={group.title} className="mt-3">
						<h2 className="px-2.5 pb-1 text-xs font-medium text-ink-3">{group.title}</h2>
						<ul className="grid gap-px">
							{group.items
								.filter((item) => operator || !('operator' in item))
								.map((item) => (
									<li key={item.label}>
										<Link
											{...item.link}
											title={`g then ${item.key}`}
											activeOptions={{ exact: item.link.to === '/', includeSearch: false }}
											activeProps={{ className: 'bg-accent-soft text-accent! hover:bg-accent-soft' }}
											className={line}
										>
											<Icon name={item.icon} />
											<span className="flex-1">{item.label}</span>
											{'waiting' in item && <WaitingCount count={waiting[item.waiting]} />}
										</Link>
									</li>
								))}
						</ul>
					</div>
				))}
			</nav>
			<div className="grid gap-px border-t border-line p-2.5">
				<a href={`${basePath}/docs`} target="_blank" rel="noreferrer" className={line}>
					<Icon name="docs" />
					<span className="flex-1">API reference</span>
					<Icon name="link" className="size-3.5 text-ink-3" />
				</a>
				<AccountMenu />
			</div>
		</div>
	)
}

/** How much waits behind a link; nothing for nothing. */
function WaitingCount({ count }: { count: number }) {
	if (count === 0) return null
	return (
		<span className="rounded-full bg-warn-soft px-1.5 text-xs font-semibold text-warn tabular-nums">
			{count > 99 ? '99+' : count}
			<span className="sr-only"> waiting</span>
		</span>
	)
}
