/** For a part that scrolls by itself: it needs a name and must be focusable, otherwise it could not be scrolled by keyboard. */
export function scrollRegion(label: string) {
	return { tabIndex: 0, role: 'region', 'aria-label': label } as const
}

/** The same for one of many similar parts on a page, which is not a landmark. */
export function scrollGroup(label: string) {
	return { ...scrollRegion(label), role: 'group' } as const
}
