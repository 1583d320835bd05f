import { QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { settleWorkspace } from './app/page-workspace.ts'
import { createQueries } from './app/queries.ts'
import { ScreenError } from './app/screen-error.tsx'
import { setSessionEnded, useSessionEnded } from './areas/identity/ended-session.ts'
import './lib/theme.ts'
import { basePath, uiPath } from './lib/base-url.ts'
import { setPageWorkspace, whenSignedOut } from './lib/session-fetch.ts'
import { routeTree } from './routeTree.gen.ts'
import { hasEntered } from './ui/kept-draft.ts'
import { SkeletonRows } from './ui/states.tsx'
import { ToastPlace } from './ui/toast.tsx'
import './styles.css'

// Radix adds a style element when a dialog opens; without the nonce of this page the browser would refuse it.
setNonce(document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '')

const queryClient = createQueries()
// If the store does not answer now, the first screen reports that and retries.
const page = await settleWorkspace(queryClient).catch(() => ({ basepath: uiPath(), foreign: null }))
const router = createRouter({
	routeTree,
	basepath: page.basepath,
	context: { queryClient, foreignWorkspace: page.foreign },
	defaultPreload: 'intent',
	defaultPreloadStaleTime: 0,
	scrollRestoration: true,
	// Screens pass their parameters to the API, which refuses unknown ones, such as those that mail programs add to links.
	search: { strict: true },
	defaultPendingComponent: SkeletonRows,
	defaultErrorComponent: ScreenError,
})

declare module '@tanstack/react-router' {
	interface Register {
		router: typeof router
	}
}

let isLeaving = false
whenSignedOut(() => {
	const { matches } = router.state
	// The screens before sign-in only check whether somebody is signed in. And every request of a screen calls this, while the first
	// call is still on its way to the sign-in page.
	if (isLeaving || !matches.some(({ routeId }) => routeId === '/_app')) return
	if (hasEntered()) return setSessionEnded(true)
	isLeaving = true
	queryClient.clear()
	setPageWorkspace(null)
	// With the workspace, so that signing in again leads back to the same page.
	const next = location.pathname.slice(basePath.length) + location.search
	void router.navigate({ to: '/sign-in', search: { next } }).finally(() => {
		isLeaving = false
	})
})

const SignInAgain = lazy(async () => ({
	default: (await import('./areas/identity/sign-in-again.tsx')).SignInAgain,
}))

function SessionEnd() {
	return (
		useSessionEnded() && (
			<Suspense>
				<SignInAgain />
			</Suspense>
		)
	)
}

createRoot(document.getElementById('root') as HTMLElement).render(
	<StrictMode>
		<QueryClientProvider client={queryClient}>
			<RouterProvider router={router} />
			<ToastPlace />
			<SessionEnd />
		</QueryClientProvider>
	</StrictMode>,
)
