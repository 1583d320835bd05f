import { useElementScrollRestoration, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Later, the list should no longer move under the reader's eyes. */
const patienceMs = 10_000
const hands = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * After a reload, the router scrolls to where the reader was before the list is there, when the page is too short. This scrolls as soon
 * as the page is long enough, unless the reader does something first.
 */
export function useLateScroll(): void {
	const place = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.state.__TSR_key })
	const top = useElementScrollRestoration({ getElement: () => window })?.scrollY ?? 0
	// biome-ignore lint/correctness/useExhaustiveDependencies: the position that was stored when the reader came here
	useEffect(() => {
		if (top === 0) return
		const observer = new ResizeObserver(() => {
			if (document.documentElement.scrollHeight - innerHeight < top) return
			stop()
			scrollTo({ top })
		})
		const stop = () => {
			observer.disconnect()
			clearTimeout(timer)
			for (const hand of hands) removeEventListener(hand, stop)
		}
		const timer = setTimeout(stop, patienceMs)
		for (const hand of hands) addEventListener(hand, stop, { passive: true })
		observer.observe(document.body)
		return stop
	}, [place])
}
