import { unreachable } from '../api.ts'
import { ErrorState } from '../ui/states.tsx'

const lastReloadKey = 'last-reload'
const reloadAgainAfterMs = 60_000
const missing = new WeakSet<Error>()

// The router would reload the page at once, which shows the browser's own error page while the network or the program is unavailable.
addEventListener('vite:preloadError', ({ payload }) => {
	missing.add(payload)
	payload.message =
		'A part of it could not be loaded. If this goes on, the last update of Signalbox is incomplete.'
})

/** A screen that failed. If its file is missing, or was replaced by an update, the page is reloaded once the server answers. */
export function ScreenError({ error, reset }: { error: unknown; reset(): void }) {
	if (!(error instanceof Error && missing.has(error))) return <ErrorState error={error} retry={reset} />
	const lastReload = Number(sessionStorage.getItem(lastReloadKey) ?? 0)
	const isReloaded = Date.now() - lastReload < reloadAgainAfterMs
	return <ErrorState error={isReloaded ? error : unreachable(error)} retry={reloadWhenAnswered} />
}

function reloadWhenAnswered() {
	fetch(location.href, { cache: 'no-store' }).then(
		() => {
			sessionStorage.setItem(lastReloadKey, String(Date.now()))
			location.reload()
		},
		() => {},
	)
}
