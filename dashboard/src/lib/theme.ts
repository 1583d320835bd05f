import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark' | 'system'

const storageKey = 'signalbox-theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
let theme = stored()

function stored(): Theme {
	try {
		const value = localStorage.getItem(storageKey)
		return value === 'light' || value === 'dark' ? value : 'system'
	} catch {
		return 'system'
	}
}

function apply(): void {
	document.documentElement.classList.toggle('dark', isDark())
	for (const listener of listeners) listener()
}

function isDark(): boolean {
	return theme === 'dark' || (theme === 'system' && system.matches)
}

system.addEventListener('change', apply)

export function setTheme(next: Theme): void {
	theme = next
	try {
		localStorage.setItem(storageKey, next)
	} catch {
		// Without storage the choice applies to this page only.
	}
	apply()
}

function subscribe(listener: () => void): () => void {
	listeners.add(listener)
	return () => listeners.delete(listener)
}

export function useTheme(): Theme {
	return useSyncExternalStore(subscribe, () => theme)
}

/** Whether the dark theme is active, for drawings that take their colours from the page. */
export function useIsDark(): boolean {
	return useSyncExternalStore(subscribe, isDark)
}
