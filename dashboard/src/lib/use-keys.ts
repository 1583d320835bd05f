import { useEffect, useRef } from 'react'
import { isTyping } from './is-typing.ts'

/**
 * Single keys of a screen, by name (`j`, `Escape`). They are ignored while somebody types or when the key is part of a jump (`g a`).
 */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
	const newest = useRef(actions)
	useEffect(() => {
		newest.current = actions
	})
	useEffect(() => {
		const onKey = (event: KeyboardEvent) => {
			if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
			if (isTyping(event.target)) return
			const action = Object.hasOwn(newest.current, event.key) ? newest.current[event.key] : undefined
			if (!action) return
			event.preventDefault()
			action()
		}
		addEventListener('keydown', onKey)
		return () => removeEventListener('keydown', onKey)
	}, [])
}
