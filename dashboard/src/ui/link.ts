/** The classes of a link within text. */
export const linkClass = 'font-medium text-accent underline underline-offset-2'

/** A link above the title, to the list or object that the screen belongs to. By default it would be marked as the current page. */
export const parentLink = { className: 'hover:underline', activeOptions: { exact: true } } as const

/** Those of a link that stands alone, for example in a cell or the head of a panel. */
export const actionLinkClass = 'inline-flex min-h-6 items-center text-accent hover:underline'
