import { cn } from './cn.ts'

/** Icons on a 24 × 24 grid, one path each. */
const paths = {
	overview: 'M4 19V9M10 19V5M16 19v-7M22 19H2',
	live: 'M2 12h4l3-8 5 16 3-8h5',
	server: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
	agent: 'M12 3v3M6 6h12v10a4 4 0 0 1-4 4h-4a4 4 0 0 1-4-4zM9.5 11h.01M14.5 11h.01M9.5 15.5h5',
	model: 'M12 3l2.1 5.9L20 11l-5.9 2.1L12 19l-2.1-5.9L4 11l5.9-2.1zM19 17v4M17 19h4',
	key: 'M14 10a5 5 0 1 1-1.5-3.5L21 6v4h-3v3h-3l-1-3M9 10h.01',
	audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h6M9 17h6',
	start: 'M5 21V4M5 4h13l-3 4.5L18 13H5',
	docs: 'M4 5.5A2.5 2.5 0 0 1 6.5 3H20v15H6.5A2.5 2.5 0 0 0 4 20.5zM4 20.5A2.5 2.5 0 0 0 6.5 21H20',
	matrix: 'M4 4h16v16H4zM4 9.5h16M4 15h16M9.5 4v16M15 4v16',
	plus: 'M12 5v14M5 12h14',
	minus: 'M5 12h14',
	close: 'M6 6l12 12M18 6L6 18',
	check: 'M4 12.5l5 5L20 6.5',
	copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
	chevron: 'M9 5l7 7-7 7',
	down: 'M6 9l6 6 6-6',
	pause: 'M8 5v14M16 5v14',
	play: 'M7 4l13 8-13 8z',
	refresh: 'M20 11a8 8 0 1 0-2.3 6.3M20 4v7h-7',
	trash: 'M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6',
	search: 'M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM20 20l-4.8-4.8',
	menu: 'M4 6h16M4 12h16M4 18h16',
	sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19',
	moon: 'M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z',
	system: 'M3 4h18v12H3zM8 20h8M12 16v4',
	person: 'M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4 21c0-4 3.5-6 8-6s8 2 8 6',
	alert: 'M12 3.5L22 20H2zM12 10v4.5M12 17.5h.01',
	info: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 11v5.5M12 7.5h.01',
	stop: 'M6 6h12v12H6z',
	link: 'M10 14l9-9M13 4h7v7M18 14v6H4V6h6',
	tool: 'M14.5 6.5a4 4 0 0 0-5 5L3.5 17.5l3 3 6-6a4 4 0 0 0 5-5L15 12l-3-3z',
	limit: 'M4 18a8.5 8.5 0 1 1 16 0M12 17l4-6',
	send: 'M3 12l18-8-7 17-3-7zM11 14l10-10',
	review: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-5',
	approve: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM7.5 12.5l3 3 6-6.5',
	ask: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.7.4-1.1.9-1.1 1.8M12 17h.01',
	map: 'M6 8a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM18 14a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM6 20a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM8 7l8 4M8 17l8-4',
	trace: 'M3 5h10M7 10h10M11 15h10M7 20h6',
	spend:
		'M12 3v18M16.5 7.5C16 6 14.5 5.5 12 5.5c-3 0-4.5 1.2-4.5 3s1.5 2.7 4.5 3.3 4.8 1.5 4.8 3.6-2 3.4-4.8 3.4-4.6-1-5-2.8',
	dot: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8z',
	more: 'M5 11.2v1.6M12 11.2v1.6M19 11.2v1.6',
	block: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM5.7 5.7l12.6 12.6',
} as const

export type IconName = keyof typeof paths

/** Decorative: the text next to it says the same. */
export function Icon({ name, className }: { name: IconName; className?: string | undefined }) {
	return (
		<svg
			viewBox="0 0 24 24"
			aria-hidden="true"
			className={cn('size-4 shrink-0', className)}
			fill="none"
			stroke="currentColor"
			strokeWidth="1.8"
			strokeLinecap="round"
			strokeLinejoin="round"
		>
			<path d={paths[name]} />
		</svg>
	)
}
