import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isTyping } from '../lib/is-typing.ts'
import { navItems } from './nav.ts'

const placeByKey = new Map<string, { to: string }>(navItems.map((item) => [item.key, item.link] as const))

/** `g` followed by a letter opens a place, unless somebody is typing. */
export function useJumpKeys(): void {
	const navigate = useNavigate()
	useEffect(() => {
		let pressedAtMs = 0
		const onKey = (event: KeyboardEvent) => {
			if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
			const place = Date.now() - pressedAtMs < 1000 ? placeByKey.get(event.key) : undefined
			pressedAtMs = event.key === 'g' && !place ? Date.now() : 0
			if (!place) return
			event.preventDefault()
			void navigate(place)
		}
		// In the capture phase, before the keys of a screen, so that the second key of a jump does not trigger them.
		addEventListener('keydown', onKey, { capture: true })
		return () => removeEventListener('keydown', onKey, { capture: true })
	}, [navigate])
}
