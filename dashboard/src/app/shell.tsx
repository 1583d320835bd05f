import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { SavedViewsOf } from '../lib/table-view.ts'
import { IconButton } from '../ui/button.tsx'
import { SkeletonRows } from '../ui/states.tsx'
import { Brand } from './brand.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import { useJumpKeys } from './jump-keys.ts'
import { SideBar } from './side-bar.tsx'
import { useLateScroll } from './use-late-scroll.ts'
import { useWaitingCounts } from './use-waiting-counts.ts'
import { useWorkspaceEvents } from './use-workspace-events.ts'

const SavedViews = lazy(async () => ({
	default: (await import('../areas/saved-views/saved-views.tsx')).SavedViews,
}))
const MenuSheet = lazy(async () => ({ default: (await import('./menu-sheet.tsx')).MenuSheet }))

/** The frame of every signed-in screen: a side bar, or on a narrow screen a bar with a menu. */
export function Shell() {
	useJumpKeys()
	useWorkspaceEvents()
	useLateScroll()
	return (
		<div className="lg:grid lg:min-h-dvh lg:grid-cols-[232px_minmax(0,1fr)]">
			<a
				href="#content"
				className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
			>
				Skip to content
			</a>
			<aside className="sticky top-0 hidden h-dvh border-r border-line bg-surface lg:block">
				<SideBar />
			</aside>
			<TopBar />
			<main id="content" tabIndex={-1} className="min-w-0 outline-none">
				<ConnectionNotice />
				<Suspense fallback={<SkeletonRows />}>
					<SavedViewsOf value={SavedViews}>
						<Outlet />
					</SavedViewsOf>
				</Suspense>
			</main>
		</div>
	)
}

function TopBar() {
	const [open, setOpen] = useState(false)
	const isWaited = Object.values(useWaitingCounts()).some((count) => count > 0)
	const path = useRouterState({ select: (state) => state.location.pathname })
	// biome-ignore lint/correctness/useExhaustiveDependencies: a change of place must close the menu
	useEffect(() => setOpen(false), [path])
	return (
		<header className="sticky top-0 z-30 flex h-12 items-center justify-between border-b border-line bg-surface px-3 lg:hidden">
			<Link to="/" aria-label="Signalbox: overview" className="flex">
				<Brand />
			</Link>
			<span className="relative flex">
				<IconButton
					icon="menu"
					label="Menu"
					aria-haspopup="dialog"
					aria-expanded={open}
					onClick={() => setOpen(true)}
				/>
				{isWaited && (
					<span className="absolute top-1 right-1 size-2 rounded-full bg-warn forced-color-adjust-none" />
				)}
			</span>
			{open && (
				<Suspense>
					<MenuSheet onClose={() => setOpen(false)} />
				</Suspense>
			)}
		</header>
	)
}
