/** Whether a key press on this target belongs to a field, a dialog or a menu rather than to the screen. */
export function isTyping(target: EventTarget | null): boolean {
	return (
		target instanceof HTMLElement &&
		target.closest('input, textarea, select, [role="dialog"], [role="menu"]') !== null
	)
}
