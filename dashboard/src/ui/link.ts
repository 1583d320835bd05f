/** The classes of a link within text. */
export const linkClass = 'font-medium text-accent underline underline-offset-2'

/** Those of a link that stands alone, for example in a cell or the head of a panel. */
export const actionLinkClass = 'inline-flex min-h-6 items-center text-accent hover:underline'
