/** The secret of a link is in its fragment, which browsers never send. It is removed from the address bar at once. */
export function takeLinkSecret(): string {
	const text = location.hash.slice(1)
	if (text) history.replaceState(history.state, '', `${location.pathname}${location.search}`)
	return text.replace(/^token=/, '')
}
