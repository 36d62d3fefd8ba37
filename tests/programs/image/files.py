"""Image files to pixels and back: every format, number of channels and option; errors."""

import base64

import numpy as np
import tensorflow as tf

# Small files that Pillow wrote: a smooth pattern with noise, in every form.
FILES = {
    "rgb.jpg": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8X"
        "GBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAAR"
        "CAANABEDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEG"
        "E1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWG"
        "h4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEB"
        "AQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYk"
        "NOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0"
        "tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwD6Q8PeHYhbE8ryBtOAQOeOfxrG8bMmn28o"
        "B2FcZ7dv8M11VleNDEy4yFITg46gGvMPiRqLtFK43B0LHJbIOP8AP8q/NsVTnleJbTOfhbO5pqlO+pxf22H/AJ+f/IkX+FFcB/bcn9wfp/hR"
        "X0P9u4nsfrv9oQ7H/9k="
    ),
    "gray.jpg": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5"
        "PTgyPC4zNDL/wAALCAANABEBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQR"
        "BRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4"
        "eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEB"
        "AAA/AOp8PTbEUF+c9SeM4966uS6xblDIowMfjWd54/vz/wDfX/164qxuHQ/LxjjOff8A+tWodRmkY5JDLk5z1wKpf2g/ofzH+Ff/2Q=="
    ),
    "rgb444.jpg": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoKCgoKBggL"
        "DAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgr/wAAR"
        "CAANABEDAREAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEG"
        "E1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWG"
        "h4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEB"
        "AQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYk"
        "NOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0"
        "tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwD7Z+Hnw7sF00yDdGNwBjcgMoweOeASM84G"
        "OOpOK/nzMcJLCYmSjHRdd97/ACXddbNPR6nzHCPEtalyRc9e+tr2vfW/ktlzXaeiOY+Nslr4e0+4SN/LaIjdxjBIJ9ABwG6evqOfayHOKmGq"
        "KKemzvr1Tta7VrtWv0XXp/TGQZpUxOHVOU1azXfVWV77td//ACXy+ev7a03/AKDY/wDAq2/+Jr9k/wBbKXeP3v8AzPrvbVO1T75//Jn2Lous"
        "S2lq8IjyEdYRhyowQGzx7/nXx/GWT4aF5R3k5Lbsn/Xlp2P83MqxFWNVODs1d99pNPfulp2eu54R+0h4iuZLW4uI/MWWJnJZpdwYLnjGPxzn"
        "OQOuMV+PYif1TEOMVo0vLe/4dtt3bc/o3g3OMZiKyjKW2ullqle+2nn0ezR8p/8ACbXn/PuPzH/xNfSXxH87++X/AMkfrH9oVPP8P8j/2Q=="
    ),
    "prog.jpg": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAoHBwgHBgoICAgLCgoLDhgQDg0NDh0VFhEYIx8lJCIfIiEmKzcvJik0KSEiMEExNDk7Pj4+JS5E"
        "SUM8SDc9Pjv/2wBDAQoLCw4NDhwQEBw7KCIoOzs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozv/wgAR"
        "CAANABEDASIAAhEBAxEB/8QAGAAAAgMAAAAAAAAAAAAAAAAAAAQCAwX/xAAWAQEBAQAAAAAAAAAAAAAAAAAEAQP/2gAMAwEAAhADEAAAAdWF"
        "yZIuLGrv/8QAGhABAAMAAwAAAAAAAAAAAAAAAAECAxESIf/aAAgBAQABBQKtWnjlDWXZ/8QAFxEAAwEAAAAAAAAAAAAAAAAAAAMSQf/aAAgB"
        "AwEBPwFDcLP/xAAYEQACAwAAAAAAAAAAAAAAAAAAAQISE//aAAgBAgEBPwGSozVn/8QAFBABAAAAAAAAAAAAAAAAAAAAIP/aAAgBAQAGPwJf"
        "/8QAGRAAAwEBAQAAAAAAAAAAAAAAAAERIVGx/9oACAEBAAE/IVwwZHfBojBlH//aAAwDAQACAAMAAAAQkw//xAAXEQEAAwAAAAAAAAAAAAAA"
        "AAAAAREx/9oACAEDAQE/EJtKP//EABURAQEAAAAAAAAAAAAAAAAAAAEQ/9oACAECAQE/EEj/AP/EABsQAAICAwEAAAAAAAAAAAAAAAABESEx"
        "QWHw/9oACAEBAAE/ELHHBlrQeLDWKMUPbFMqdnA//9k="
    ),
    "s422.jpg": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5"
        "PTgyPC4zNDL/2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjL/wAAR"
        "CAANABEDASEAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEG"
        "E1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWG"
        "h4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEB"
        "AQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYk"
        "NOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0"
        "tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDtrS0Xy89PY1V1IiJGxwRXiwk6dQ6MsrOS"
        "tc57zE/56f8Ajy0V7P1pHt3fn+P+Z2MchVSMdDisLWJiVYjORnvXk4yKhO6Pjstm1JJHKfaW9KKnXufR+0Z//9k="
    ),
    "cmyk.jpg": (
        "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAIBgYHBgUIBwcHCQkICgwUDQwLCwwZEhMPFB0aHx4dGhwcICQuJyAiLCMcHCg3KSwwMTQ0NB8nOT04"
        "MjwuMzQy/8AAFAgADQARBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAAB"
        "fQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hp"
        "anN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5"
        "+v/aAA4EQwBNAFkASwAAPwDqfD02xFBfnPUnjOPevSF0yNoicEZ/h4BAqMaaIHbC4UevJ717/XVyXWLcoZFGBj8a5jXYEgDkAggg9MU435tB"
        "tU8Dg55/Cis7zx/fn/76/wDr1xu1P+eifmn+FW/7fi/56x/99CiuKsbh0Py8Y4zn3/8ArV7VFKQhUjIBA6464Nbms2scYO0csSufworUOozS"
        "Mckhlyc564Fch4jx5TMAcjPU5rzbXbgwyPtBzj160VS/tB/Q/mP8K4Hzf9kVifapf75/M0V//9k="
    ),
    "rgb.png": (
        "iVBORw0KGgoAAAANSUhEUgAAABEAAAANCAIAAADAGxJNAAACCUlEQVR4nAXBV3LTQAAA0K3aomZbsQ1JGK7FpTgIR2ImfBCcYluWrLJabec9"
        "+PPXD4xpI8Vx9LKUM7CPiSWd8xTFuIcI54ZYmOl2F/l9jQt8OaB7JdMWD8D83lHFcE35SJ6bZOcG+ad3jx2IZ0onwD9SWJbxeNoHksRDsvcN"
        "2pUx6C3FAyH08++W0VBW3dxXrOebdY4lCdew0uydvZQk20hrDq2/IhLrzMF65b2Ez5RfzOe3b/TSuwKaNWXCsAHemRZPFCnASEwVi+k5YEsn"
        "Vsfv3Gu25jgY7MuAbxpWA/QRkyx4Q5cJHe8VT1ddP84jDWWNqxJPAMdeeoN4j0FwOdzNTCHkQHuc/Ru16J35QL8uXh4IGY6FWRTYY1KXMBRR"
        "xJs1vGdn/plmnaS+wCmXFu12hRNVAkNvD7KLnhWXlV0jMNugE8F0PhVjYs1NxHEFC1zc6Q8KSli4EUU2btkbtTjnnlsEY4jWhdQRkcl/55ux"
        "YtXRFLnqCowULRN3Ch6qnsRUdnBQd9mTOHdY2z4R96YaAc/TqNv9OrsJsQupgoSGy3nsKoqcrlizHBKJ/vRFZC1LyqyNswMd236v6Ct9AL5D"
        "JqHFWQSyJcsoArMKCnu4ZsZ6T0Rq5I7FDEvalPfbUNpXFhdCQT3kcPhQIMstt8Be85NcypKGsVU+wImaCa8RgbHauLY32oj/f3tNsCs1xnQA"
        "AAAASUVORK5CYII="
    ),
    "gray.png": (
        "iVBORw0KGgoAAAANSUhEUgAAABEAAAANCAAAAABqEtrGAAAAx0lEQVR4nAXB21KDMBAA0GQ34SqpQ0eZ8Z/9QB91wLEthUJzISFhPYd/4rmr"
        "9AcVJa+DOzYOD1q+zGk96xiZZGR7QfTaOBTfUs3z1txkDlkYjeSFKP4O732+lmCEInwecUsROcckoSucTohYAe6t2bsBfpN9XzwT/LgXF6Jr"
        "De1OcxWvN++wp/tqd0ihXAeMkPYpuwT3MoEho47JzNrRUD5HDULxagJlRZ/RFta3HwbegpXacB+pzeSjyYVcFhZYbeWYJIIa3T/kXH0AMkn7"
        "KgAAAABJRU5ErkJggg=="
    ),
    "rgba.png": (
        "iVBORw0KGgoAAAANSUhEUgAAABEAAAANCAYAAABPeYUaAAACqUlEQVR4nAXBCXLrNAAAUO2S5S2Jm4T+38IMp+I2nICDcCRm6AzQtD+L612W"
        "tfMe/OPP337HmMpGZsV58o0s5XEBdv6W+GvSORQp+mw6UohwnhsiLWRQt4cpiiHf4urh36ceDZV0aY/LEZjirwPliuOppsJM5KVqktVLg2r/"
        "/fNXj50E8UYpnQcgfpgU1nmdzuFyDBal7CmmwLYdekY/x6rVde4U2tWeX9d/96wMoayrzs2+4q5/2sEriAUmgXVgFYR9DvxdJ8J2cm/NKbT+"
        "MSAS65q5Hay3KHo5wRfKxd1019dXQO+9cQXUZkuJZabiI9wGrkX2nWqkAO9JTL7iMaSXcMKWvs+8ZvEXobzmYMvxHAxefRkA/tJ7WI0I+thi"
        "wmzwRtN1Zug8VJtID6brb+Uy0bdQ1g2uSoZnwHHssfRGINFHDAJxOfznsPBNIYQdaMN58f6DWo8+uWeBPvvVy+1EyPN4LrRZ1R0csSN12cJQ"
        "6JjF8GXNQ/Sc3cTVpUU/ktTzHc4sl9aiw6EoXVapBEbY21Mvu4g8L/B94/0jAmj2YdSJOEwXcCkmnHizfGUxTRtwK1w/3eVtRkFlysLdMSsY"
        "nPbcfVC74FxEL6xAMMYQbXIhPTqSRSbfb7cvQ2y2cR3NXOSKdgXOkaIlTMJBBU9D1ZMQU5k6OM5qkENPYr90eNK2F4k496GaMoO3ME/60R63"
        "tLg5IH5vSRUkhUaMcpnKrqIKOZ0q3uD1lAiJPl1+yixrOU/KyK1xVztSN7U9Oyo6/kefHPAdIiahNrptVwIGVhbD3ui0qBBsGe1uZaWxHiKS"
        "OdRgc9BqM1hG2iQ9vN1SiTdlIyKEgvo85nAdfygOWE6tsArYh8svMq5lCWiYplZ5EeA8UDNzvMURgem52rmvtjdcm2z7H/Z+zbIOx0ZeAAAA"
        "AElFTkSuQmCC"
    ),
    "la.png": (
        "iVBORw0KGgoAAAANSUhEUgAAABEAAAANCAQAAADlcE2RAAABaklEQVR4nAXB2Y7aMBQAUO82CVkAAZqRpg/90X5BP7API3WBEUvI7jheb8/B"
        "P3/Q7LA9H7LjPL1/AFZhw3GeZw6bMeVrwB3pPRTD9pfUY2XH8mDmKnwPGeK8RxamJV4cgQRrTb41xusqLH+KWJVT8B2+baloFeslMLFzselJ"
        "VdU4qRFL1d4Qt95YEKVce7UxRHcslBFO9N8kkg5oneISEN1hghvqouGCnFclTDF/xgMVVFKaKZIo87/3q6Y+nsM1kC8Rw7Ke3gZjH8izBpsU"
        "X08l7h6eMD1E7si+8Bpw12Uk0Ef3xHYwnqILhfkFo1++/ESidscNHv11pikokiL4Z5vE/c6cNNOWtznTuMC6P5WatVMOVgjqc/DXqrZdZ9k+"
        "koGVHA9Z0WoCJV0Yg4sTErL15vwojsNfjwizTaoLtMQdzNG5urCYeGL3q03c9FBoxxg/D8sgEXca+TwtiI+Nij2XdCBv5auRZv0P0DfyxKeZ"
        "ZSwAAAAASUVORK5CYII="
    ),
    "pal.png": (
        "iVBORw0KGgoAAAANSUhEUgAAABEAAAANBAMAAAC9V5gpAAAAMFBMVEWu4Iiy1IWO4Z6J1aPOxX+6w3OZx3qBy57RtHbcpHy2rWqVsV7ekoa1"
        "i17Jd4ijdkld26ZcAAAAf0lEQVR4nAXBPQrCMACG4Tcfbg5JtKuQAzgIeoBewcXdG3kOB+nsD9ilm5ATiDpKwXTVlvg85pTTvVhAIcyhbiNC"
        "1f5i64GAelPOf/kGst9+R5cejGjeK7J3yIy7iJlmdP7kAfPEqVRIxBnoCtazFMLLVesXCGB7bAOiZMLGwR/oPydqD/WZcAAAAABJRU5ErkJg"
        "gg=="
    ),
    "bit.png": (
        "iVBORw0KGgoAAAANSUhEUgAAABEAAAANAQAAAABnAri3AAAAHElEQVR4nGP8z9DI1MDAwMTAwMDUgAUjiztAaADDlgZabinj2AAAAABJRU5E"
        "rkJggg=="
    ),
    "paltrns.png": (
        "iVBORw0KGgoAAAANSUhEUgAAABEAAAANBAMAAAC9V5gpAAAAMFBMVEWu4Iiy1IWO4Z6J1aPOxX+6w3OZx3qBy57RtHbcpHy2rWqVsV7ekoa1"
        "i17Jd4ijdkld26ZcAAAABHRSTlP///8AQCqp9AAAAH9JREFUeJwFwT0KwjAAhuE3H24OSbSrkAM4CHqAXsHF3Rt5Dgfp7A/YpZuQE4g6SsF0"
        "1Zb4POaU071YQCHMoW4jQtX+YuuBgHpTzn/5BrLffkeXHoxo3iuyd8iMu4iZZnT+5AHzxKlUSMQZ6ArWsxTCy1XrFwhge2wDomTCxsEf6D8n"
        "ag/1mXAAAAAASUVORK5CYII="
    ),
    "gray16.png": (
        "iVBORw0KGgoAAAANSUhEUgAAABEAAAANEAAAAAA6ggaFAAABX0lEQVR4nAXBa0+DMBQA0PbelqdUw6Ik/mcT/54fNWDcxmCwPmhpuZ7DPz4R"
        "T6euqyqt39+JiqIsOa/rEJw7jm3jHO53omX5+jLm+XldTyetY4yRMSkZI7K27wUR0ctL0ziHKMT3t5RKzfM8b1vTXK9S5jlkWQjjaIyUnBeF"
        "EEXx93cc3nvvfZ6va1mCMUIoRYT4eBxHjNuWUoyInHOOmJKU0HVF4ZzWKSEiIlYVAOK+t60x+951wwC/vylZ+/a2LN4zJgTnx3G7FcX5TER0"
        "udQ1tO2+E81zVcV4uVyv3juH2PdEt9u6WrvvkFIIZbmuw4AYI0BK+z5NWXY+h+Dc09M0gTFExih1HNNkzDxr7RzRMJTl4zGOWgMIpTivqmkC"
        "UMpaIfo+y4i2LYR1fX39+WEMvLcWwFoptTaGc+9jJGrbLJPyfm+aPBdSLsuyMBYCY3VtrZTjmJKUiABKjaNz/0R4+eOv+bNHAAAAAElFTkSu"
        "QmCC"
    ),
    "deep2.png": (
        "iVBORw0KGgoAAAANSUhEUgAAAAkAAAALEAQAAABXwLPTAAABoklEQVR4nAGXAWj+AKg9VnXEtVIMla3+B/H6Va8obmKn/16Wk4Tqh20Tsj5B"
        "y6vCUgFFzvf7L4uJavUfUFPR0Mr6btopKPrph5LqgN/8DRkmFjMNAE4CkgPd5FtxF8vp0pzTABX8cAqoyvLo5tO7XeU9okpeFvtHPjF/A5xG"
        "YsRuOP54eltvwWrYANKdmZDSPHXj803GAOtpkIMTkc9gMAT0mdZlql2+7T8x9YBERm8tRgljUcUZy1ttu49V2l5ZPe7FwAoAIvO4y3qldwdO"
        "lu58ZSrYuyrfwTZXyT9zNbNqUm8XPFNXGVc5AdzF2VnlaOQWtSuqRI/j4Pk/X0fMhtttMwgEZvWVpbXu5ina0gJq+KmozMl8QKckYrqnOxX/"
        "BUBWl9XPSR+G3A0HGUwHXWkXDXYD7qJlUX0//YxgQKHvUw4uEjPnddA7pv4EM+iYVVHki169Nj6xBH4kyQKc8rbFwBUbno3r6Ilt6tKDff3b"
        "xBiZIqeLHd7+OTQNMACb+ASkoRzV9DxAQ8qzfHSNfOvmAgmlW8ecV4bej9HmA0BvN+K14sp5eSwnUwAAAABJRU5ErkJggg=="
    ),
    "deep3.png": (
        "iVBORw0KGgoAAAANSUhEUgAAAAkAAAALEAIAAAByq+wPAAACaElEQVR4nAFdAqL9ABtQBvMSUlMyx70J6vPSMByHI+E1rxoNcRVnFirvLnDF"
        "2hxgf+CrJFPQPntKrMraiUTbEuO7SwFLYPCm2B/jk2/wNV9JaDijz5d3hngEodehSGo21n9aOoM2FY81NGBUou55naUaGpI4FC0SqHMC6NwT"
        "ic5wxjG4K33gsIqs8YLplB9wlk6ag7QT0L60IrocZ//JW4PzANseubWszi2RPgn9DseQAwwNmCzfzSW0qX1sPkn873qtVM3idXN7dVTfGlN3"
        "vK5SMus7YNk6fUrBqSRkvTCeMKTdr+qiWgSlGcbqUdQlzFIZ325KavymrMxVd64iZwcgznX1rifblczYBkbtgTWjGzAOGAu+beNqm05pceAA"
        "gezDNtR2QVN4GeithXnB6hyDA3Sb1A/xA1NI+Qol+KFZvMNsrtnmB8u8eKU+VNv60WJ5ELatAQXo3KeeIVp5i5o6qPn2LgPhTwyvSh3MWm75"
        "T9v3ZnY+Lbjg44W6Y4VND4YmRnY6Lj3/WKmKiwKM6grur+VZ817UNq6lxPZW5sGNupoNZBElNu3pvC89O2JcQRD9lKlzELhKGSIWCBlO3kPl"
        "scsD7xyIBA5OLX0gPWkINJyK3pNhhhGj9aHpf1ITqx9mq+HrH1JZ8oGGPQndMkCplymbCUm7VXQbBP2QtfGijRlz5vdks9gIwG0EflwPJBpv"
        "VcxB8yWqFj0J0oVtz+P/fZ4xJRuZ1Nr2AArNqNIK+ABwL2ME94qt8Tj+8oatds2svUj9iFjIQeyu5bAS9AKoxTzdQfnE5fZkgWoInaSbWpFx"
        "usGLDTEuhCgZFmgOCAAAAABJRU5ErkJggg=="
    ),
    "rgb.bmp": (
        "Qk3aAgAAAAAAADYAAAAoAAAAEQAAAA0AAAABABgAAAAAAKQCAADEDgAAxA4AAAAAAAAAAAAAzs+EwNx1tcOFvteCq9+NjdiNl86YjtuVgNCa"
        "d76RaL+OU7iTUaaWQ5+YPIymMnuSO2iJAL/Pf7XRfbPRlLHlgqLek5jdlZbqj4Hdn4DTnHvJpXXKp2DBsmOuq1ifnEF8nDl/pDtvngC90Ia7"
        "1oet0ZKr34yi3I6b6KGa55p75Z6E2aNyxalrt6hiuqBZq6VLjJdQj6xXhZdFcZcAs9N4qN2FpuSImtWemuGTiOmZkdGkf92ogMG/a8K6asC1"
        "Z6erVKC7XI+qU5qjQ4C1Q3WqAKbOg63VhpDjk5bmkI3ilZfoq4fhr4HZuX3Ty3zIw2+8tlSyxmufsmWdt1uFt1CFwVluqACd2Yad1IyK14qP"
        "1Z6T3bCP3aiN2bOD2LeD1c59y8hmuMhxqMByssltlL1ih8BberVWYroAkcd0j8uRmdeLeduvle+mg9ashuHJg9rMhsTVeczRcrPFf5zcX6vK"
        "b4vQYo/OZXm/eX6/AJXAjnbGlI/blXXXmYnYtY7gs4PMyXbLyHrH1HvD03m52Hit1Hej4XiX0WuFz3J41X90tACH0HeLx4x1zJ5w5aV6y7iB"
        "0rCD2caHzcWBy8qMu9F8udV3otlwr892ldx/hdR2hL6Fb88AgNCCjMmId8WQc8mmddG1csu9e7rIgNbJfsDSicLUf6zZgLXWf6HOeJnbeYHR"
        "fYjBknnKAHbAfGa6jni4pHW4sXrLsH68vHG/wHi7xYW6ymyl7JCv24up3Ymd1Y6Q4oaJyo2Cz5pewQBit31gvY9ftpRnupNvvLluuseJuMRy"
        "quR4vc1xt96Jod97le6Lne2RjN+QidynfMuje7oAWKmNXayQZrajYqi6bLXEZrW4bbTSeKvRdqrZi5zijp7jkpfumJjoqoTfmozdkIrVpmbW"
        "AA=="
    ),
    "gray.bmp": (
        "Qk06BQAAAAAAADYEAAAoAAAAEQAAAA0AAAABAAgAAAAAAAQBAADEDgAAxA4AAAABAAAAAQAAAAAAAAEBAQACAgIAAwMDAAQEBAAFBQUABgYG"
        "AAcHBwAICAgACQkJAAoKCgALCwsADAwMAA0NDQAODg4ADw8PABAQEAAREREAEhISABMTEwAUFBQAFRUVABYWFgAXFxcAGBgYABkZGQAaGhoA"
        "GxsbABwcHAAdHR0AHh4eAB8fHwAgICAAISEhACIiIgAjIyMAJCQkACUlJQAmJiYAJycnACgoKAApKSkAKioqACsrKwAsLCwALS0tAC4uLgAv"
        "Ly8AMDAwADExMQAyMjIAMzMzADQ0NAA1NTUANjY2ADc3NwA4ODgAOTk5ADo6OgA7OzsAPDw8AD09PQA+Pj4APz8/AEBAQABBQUEAQkJCAEND"
        "QwBEREQARUVFAEZGRgBHR0cASEhIAElJSQBKSkoAS0tLAExMTABNTU0ATk5OAE9PTwBQUFAAUVFRAFJSUgBTU1MAVFRUAFVVVQBWVlYAV1dX"
        "AFhYWABZWVkAWlpaAFtbWwBcXFwAXV1dAF5eXgBfX18AYGBgAGFhYQBiYmIAY2NjAGRkZABlZWUAZmZmAGdnZwBoaGgAaWlpAGpqagBra2sA"
        "bGxsAG1tbQBubm4Ab29vAHBwcABxcXEAcnJyAHNzcwB0dHQAdXV1AHZ2dgB3d3cAeHh4AHl5eQB6enoAe3t7AHx8fAB9fX0Afn5+AH9/fwCA"
        "gIAAgYGBAIKCggCDg4MAhISEAIWFhQCGhoYAh4eHAIiIiACJiYkAioqKAIuLiwCMjIwAjY2NAI6OjgCPj48AkJCQAJGRkQCSkpIAk5OTAJSU"
        "lACVlZUAlpaWAJeXlwCYmJgAmZmZAJqamgCbm5sAnJycAJ2dnQCenp4An5+fAKCgoAChoaEAoqKiAKOjowCkpKQApaWlAKampgCnp6cAqKio"
        "AKmpqQCqqqoAq6urAKysrACtra0Arq6uAK+vrwCwsLAAsbGxALKysgCzs7MAtLS0ALW1tQC2trYAt7e3ALi4uAC5ubkAurq6ALu7uwC8vLwA"
        "vb29AL6+vgC/v78AwMDAAMHBwQDCwsIAw8PDAMTExADFxcUAxsbGAMfHxwDIyMgAycnJAMrKygDLy8sAzMzMAM3NzQDOzs4Az8/PANDQ0ADR"
        "0dEA0tLSANPT0wDU1NQA1dXVANbW1gDX19cA2NjYANnZ2QDa2toA29vbANzc3ADd3d0A3t7eAN/f3wDg4OAA4eHhAOLi4gDj4+MA5OTkAOXl"
        "5QDm5uYA5+fnAOjo6ADp6ekA6urqAOvr6wDs7OwA7e3tAO7u7gDv7+8A8PDwAPHx8QDy8vIA8/PzAPT09AD19fUA9vb2APf39wD4+PgA+fn5"
        "APr6+gD7+/sA/Pz8AP39/QD+/v4A////AIR1hYKNjZiVmpGOk5aYppKJAAAAf32UgpOVj5+cpaeyq5ycpJ4AAACGh5KMjqGanqOpqKCll6yX"
        "lwAAAHiFiJ6TmaSov7q1q7uqo7WqAAAAg4aTkJWrr7nLw7bGsre3wagAAACGjIqesKizt87IyMDJvcC1ugAAAHSRi6+mrMnM1dHF3MrQzr+/"
        "AAAAjpSVmbWzycjU09jU4dHP1bQAAAB3jJ6luLDGxcrR1dnP3NS+zwAAAIKIkKa1vcjJ0tTZ1s7b0cHKAAAAfI6ksbC8wMXK7Nvd1eLKz8EA"
        "AAB9j5STucfE5M3e3+7t39zLugAAAI2Qo7rEuNLR2eLj7ujf3dXWAAAA"
    ),
    "topdown.bmp": (
        "Qk3aAgAAAAAAADYAAAAoAAAAEQAAAPP///8BABgAAAAAAKQCAADEDgAAxA4AAAAAAAAAAAAAzs+EwNx1tcOFvteCq9+NjdiNl86YjtuVgNCa"
        "d76RaL+OU7iTUaaWQ5+YPIymMnuSO2iJAL/Pf7XRfbPRlLHlgqLek5jdlZbqj4Hdn4DTnHvJpXXKp2DBsmOuq1ifnEF8nDl/pDtvngC90Ia7"
        "1oet0ZKr34yi3I6b6KGa55p75Z6E2aNyxalrt6hiuqBZq6VLjJdQj6xXhZdFcZcAs9N4qN2FpuSImtWemuGTiOmZkdGkf92ogMG/a8K6asC1"
        "Z6erVKC7XI+qU5qjQ4C1Q3WqAKbOg63VhpDjk5bmkI3ilZfoq4fhr4HZuX3Ty3zIw2+8tlSyxmufsmWdt1uFt1CFwVluqACd2Yad1IyK14qP"
        "1Z6T3bCP3aiN2bOD2LeD1c59y8hmuMhxqMByssltlL1ih8BberVWYroAkcd0j8uRmdeLeduvle+mg9ashuHJg9rMhsTVeczRcrPFf5zcX6vK"
        "b4vQYo/OZXm/eX6/AJXAjnbGlI/blXXXmYnYtY7gs4PMyXbLyHrH1HvD03m52Hit1Hej4XiX0WuFz3J41X90tACH0HeLx4x1zJ5w5aV6y7iB"
        "0rCD2caHzcWBy8qMu9F8udV3otlwr892ldx/hdR2hL6Fb88AgNCCjMmId8WQc8mmddG1csu9e7rIgNbJfsDSicLUf6zZgLXWf6HOeJnbeYHR"
        "fYjBknnKAHbAfGa6jni4pHW4sXrLsH68vHG/wHi7xYW6ymyl7JCv24up3Ymd1Y6Q4oaJyo2Cz5pewQBit31gvY9ftpRnupNvvLluuseJuMRy"
        "quR4vc1xt96Jod97le6Lne2RjN+QidynfMuje7oAWKmNXayQZrajYqi6bLXEZrW4bbTSeKvRdqrZi5zijp7jkpfumJjoqoTfmozdkIrVpmbW"
        "AA=="
    ),
    "anim.gif": (
        "R0lGODlhDgAKAIQAALLli7TZi8bQfrHTeMzJdszEer7MgLPGe6Xmlo/gmqDako3Zn6DOgY/MgX7TlH/JkdW8ddW2htKzguOrgdisi+ihideh"
        "e96UhtGTice7dbO5a427ZXm2Z8OmbsWZdKmgYSH5BAAKAAAALAAAAAAOAAoAAAiFADls+KCBYIcMEyZUwLCQg0ANBzRkgDCBQoWLFwRuYHAg"
        "gwQIESxEqHDhQoMNDQYMOCCgAEgKMC08aMBAAYAAAQQQ2OnBggUHNFfiJCBAglELHh4AVYATgICWLpE6UJAAgQKbAQwQyNDBw4cFYBMsQAAA"
        "gAGtXL86WFAVAYIAAwQM+EA3IAAh+QQBCgAgACwAAAAADgAKAIS+4ISt4ITF14aw2IPLy4DOw3S2zoG5w3Sf5Jeh25KM4qV+26yg0X6ZxH2B"
        "zpCHxHzhu3vZtYfUsYPJu3XFtHK5u226sm6kt2aVuW/jq4Dmn4TjlY3diYbSpHXRlnOXpmMIhgAffLhwoYIFChIyaNiwkAOGDxguYKBAAQIE"
        "hRI2bMDQ4EKDCgcOTLCYgSGHBxgYMBggYAIBAhEgROjg4cGDBgwOCBBAoIBMCRo8OHCAIEECljsJTMiQQSjRBAiQ9pww02nRowkAKJ1AoQMF"
        "BwoQKFAQoCwAkBY6WFiwYCyCqwYOVKjw4UNAACH5BAEKAB8ALAAAAAAOAAoAhLjkib7bgcHTf7TTi63Ug83JgsHIeLjMeLfEaZzgmprakI7Z"
        "lIDemqHTiZjKeoLQn3vHjeG3hNO7gdmwfeClid6ehNChgeCQjsauacambsKcaZ28b4K7Z6itaH2tYwAAAAiHAD1w6LABg8EJFipQUHiBA4cN"
        "HRwgkFAgwoSFFS5seLhhAwIDEiZEiJDxAgQODhwEOHCggEiLFixASNmAwIABBQpIkEAhJoQFDRQ0CCAgQE6EFjI8WMAAKIAAAAy4xJDBwgMG"
        "CRQkAPBUQEsMGjRcXbAg69MBBhAYFMvgQYK3A2weQICgg4aAADs="
    ),
    "one.gif": (
        "R0lGODdhDgAKAIQAALLli7TZi8bQfrHTeMzJdszEer7MgLPGe6Xmlo/gmqDako3Zn6DOgY/MgX7TlH/JkdW8ddW2htKzguOrgdisi+ihideh"
        "e96UhtGTice7dbO5a427ZXm2Z8OmbsWZdKmgYSwAAAAADgAKAAAIhQA5bPiggWCHDBMmVMCwkINADQc0ZIAwgUKFixcEbmBwIIMECBEsRKhw"
        "4UKDDQ0GDDggoABICjAtPGjAQAGAAAEEENjpwYIFBzRX4iQgQIJRCx4eAFWAE4CAli6ROlCQAIECmwEMEMjQwcOHBWATLEAAAIABrVy/OlhQ"
        "FQGCAAMEDPhANyAAOw=="
    ),
    "part.gif": (
        "R0lGODlhDgAKAIEAAMgAAAAA/wAAAAAAACH5BAAKAAAALAAAAAAOAAoAAAgfAAEIHEiwoMGDAAIoVIgw4cIADR9CbEixosWLGBEGBAAh+QQB"
        "CgACACwBAAIABwAEAIHIAAAAMv8AAAAAAAAIFAABCBQoQIDAAAgRHkwYoCDDAAEBACH5BAEKAAIALAMAAwAHAAQAgcgAAABk/wAAAAAAAAgU"
        "AAEIFChAgMAACBEeTBigIMMAAQEAOw=="
    ),
    "trans.gif": (
        "R0lGODlhDgAKAIEAAMgAAMgAAAAAAAAAACH5BAEKAAEALAAAAAAOAAoAAAgfAAEIHEiwoMGDAAIoVIgw4cIADR9CbEixosWLGBEGBAAh+QQB"
        "CgABACwBAAIABwAEAIHIAADIAAAAAAAAAAAIEAABCBQYIADBggUPIlyIMCAAIfkEAQoAAQAsAwADAAcABACByAAAyAAAAAAAAAAACBAAAQgU"
        "GCAAwYIFDyJciDAgADs="
    ),
}

results = {}


def outcome(name, make, words=True):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            made = make()
            results[name] = [sess.run(made), str(made.get_shape())]
        except tf.errors.OpError as error:
            results[name] = [type(error).__name__] + [error.message.split("\n")[0].split(" [[")[0]] * words
        except (ValueError, TypeError) as error:
            results[name] = [type(error).__name__]


image = tf.image
files = {name: base64.b64decode(text) for name, text in FILES.items()}
for name, data in files.items():
    kind = name[-3:]
    decode = {"jpg": image.decode_jpeg, "png": image.decode_png, "bmp": image.decode_bmp, "gif": image.decode_jpeg}[
        kind
    ]
    for channels in (0, 1, 3, 4) if name in ("rgb.jpg", "gray.jpg", "pal.png", "deep3.png", "rgb.png") else (0, 1):
        outcome(name + ", %d" % channels, lambda d=data, f=decode, c=channels: f(d, channels=c))
    if kind == "png":
        outcome(name + ", 16 bits", lambda d=data: image.decode_png(d, dtype=tf.uint16))
    if kind == "gif":
        outcome(name + ", frames", lambda d=data: image.decode_gif(d))
    if kind == "jpg":
        outcome(name + ", shape", lambda d=data: image.extract_jpeg_shape(d, tf.int64))
        outcome(name + ", accurate", lambda d=data: image.decode_jpeg(d, dct_method="INTEGER_ACCURATE"))
        outcome(name + ", plain", lambda d=data: image.decode_jpeg(d, fancy_upscaling=False))
        for ratio in (2, 4, 8):
            outcome(name + ", 1/%d" % ratio, lambda d=data, r=ratio: image.decode_jpeg(d, ratio=r))
        outcome(name + ", part", lambda d=data: image.decode_and_crop_jpeg(d, [3, 5, 4, 6], channels=3))
    outcome(name + ", is it", lambda d=data: image.is_jpeg(d))


def decoded(data, **options):
    return image.decode_image(tf.placeholder_with_default(tf.constant(data), []), **options)


for name in ("rgb.jpg", "rgb.png", "gray.bmp", "part.gif", "gray16.png"):
    outcome(name + ", any", lambda d=files[name]: decoded(d))
    outcome(name + ", any, float", lambda d=files[name]: decoded(d, dtype=tf.float32))
outcome("any, wrong channels", lambda: decoded(files["one.gif"], channels=1), words=False)
outcome("any, two channels", lambda: decoded(files["one.gif"], channels=2))
outcome("any, a text", lambda: decoded(b"hello"), words=False)

rgb, gif = files["rgb.jpg"], files["anim.gif"]
outcome("a text", lambda: image.decode_jpeg(b"hello\n"))
outcome("nothing", lambda: image.decode_png(b""))
outcome("half a JPEG", lambda: image.decode_jpeg(rgb[: len(rgb) // 2]))
outcome("half a PNG", lambda: image.decode_png(files["rgb.png"][:300]))
outcome("half a BMP", lambda: image.decode_bmp(files["rgb.bmp"][:300]))
outcome("hardly a BMP", lambda: image.decode_bmp(files["rgb.bmp"][:20]))
outcome("hardly a PNG", lambda: image.decode_png(files["rgb.png"][:20]))
outcome("hardly a GIF", lambda: image.decode_gif(gif[:20]), words=False)
outcome("no shape", lambda: image.extract_jpeg_shape(files["rgb.png"]))
outcome("a ratio of 3", lambda: image.decode_jpeg(rgb, ratio=3))
outcome("an odd method", lambda: image.decode_jpeg(rgb, dct_method="FAST"))
outcome("two channels", lambda: image.decode_jpeg(rgb, channels=2))
outcome("fewer than none", lambda: image.decode_jpeg(rgb, channels=-1))
outcome("several files", lambda: image.decode_jpeg([rgb]))
outcome("16 bits of a JPEG", lambda: image.decode_png(rgb, dtype=tf.uint16))
outcome("other channels of a BMP", lambda: image.decode_bmp(files["rgb.bmp"], channels=4))
outcome("beyond", lambda: image.decode_and_crop_jpeg(rgb, [10, 0, 10, 5]))

pixels = np.random.RandomState(0).randint(0, 256, [6, 5, 4])
for channels in (1, 2, 3, 4, 5):
    part = np.resize(pixels, [6, 5, channels])
    deep = part.astype(np.uint16) * 255
    outcome("PNG, %d" % channels, lambda p=part: image.decode_png(image.encode_png(p.astype(np.uint8))))
    outcome("PNG, 16 bits, %d" % channels, lambda p=deep: image.decode_png(image.encode_png(p, 9), dtype=tf.uint16))
    outcome("JPEG, %d" % channels, lambda p=part: image.encode_jpeg(p.astype(np.uint8)))
colours = pixels[..., :3].astype(np.uint8)
for i, options in enumerate(
    [
        {"quality": 50},
        {"quality": 101},
        {"progressive": True},
        {"optimize_size": True},
        {"chroma_downsampling": False},
        {"density_unit": "cm", "x_density": 11, "y_density": 12},
        {"xmp_metadata": "<x/>"},
        {"format": "rgb"},
        {"format": "grayscale"},
        {"format": "other"},
    ]
):
    outcome("JPEG, option %d" % i, lambda o=options: image.encode_jpeg(colours, **o))
outcome("JPEG, a matrix", lambda: image.encode_jpeg(colours[0]))
outcome("PNG, a matrix", lambda: image.encode_png(colours[0]))
outcome("PNG, compression", lambda: image.encode_png(colours, compression=10))
