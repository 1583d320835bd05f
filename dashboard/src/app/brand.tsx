/** The logo: the two lamps of a railway signal. */
export function Brand() {
	return (
		<span className="inline-flex items-center gap-2 text-[15px] font-semibold tracking-tight text-ink">
			<svg viewBox="0 0 32 32" aria-hidden="true" className="size-6">
				<rect width="32" height="32" rx="8" fill="#1d2433" />
				<circle cx="16" cy="9.5" r="4" fill="#f2a93b" />
				<circle cx="16" cy="22.5" r="4" fill="#3fbf8a" />
			</svg>
			Signalbox
		</span>
	)
}
