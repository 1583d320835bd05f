/** For a part that scrolls by itself: it needs a name, and the focus, or it could not be scrolled by keyboard. */
export function scrolls(label: string) {
	return { tabIndex: 0, role: 'region', 'aria-label': label } as const
}

/** The same for one of many alike on a page, which is no landmark of it. */
export function scrollsAmongMany(label: string) {
	return { ...scrolls(label), role: 'group' } as const
}
