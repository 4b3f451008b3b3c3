/** What a page made of the turns of a chat. */
import type { Page } from '@playwright/test'

export interface Verdict {
  readonly text: string
  /** Elements and attributes that no text may become. */
  readonly foreign: readonly string[]
  readonly links: readonly string[]
}

/** What became of each turn in the page. */
export function judge(page: Page): Promise<Verdict[]> {
  return page.evaluate(() => {
    const drawn =
      /^(article|div|p|span|button|time|a|code|pre|strong|em|s|br|h[3-6]|ul|ol|li|blockquote|table|thead|tbody|tr|t[hd]|hr|figure|figcaption|details|summary|section|header|footer|d[ltd])$/
    const named = /^(on.*|style|src|srcset|action|formaction|background|poster|xlink:href|data|ping|name|slot|is)$/
    const isOurs = (element: Element) =>
      drawn.test(element.localName) ||
      element.matches('dialog[aria-labelledby]:not([open])') ||
      element.closest('svg')?.matches('.chevron, [class*="lucide"]') === true
    return [...document.querySelectorAll('article[aria-label="Turn"]')].map((article) => {
      const inside = [...article.querySelectorAll('*')]
      const elements = inside.filter((element) => !isOurs(element)).map((element) => element.outerHTML.slice(0, 100))
      const attributes = inside.flatMap((element) =>
        element
          .getAttributeNames()
          .filter((name) => named.test(name))
          .map((name) => `${element.localName} ${name}`),
      )
      const links = [...article.querySelectorAll('a')].map((link) => link.href)
      return { text: article.textContent ?? '', foreign: [...elements, ...attributes], links }
    })
  })
}
