"""Probes as in :mod:`ibid_build.probes`, fewer, in the languages of the multilingual encoder."""

from __future__ import annotations

from collections.abc import Mapping

_GERMAN = """\
Wie tausche ich die Zugangsdaten eines Message-Brokers ohne Ausfall aus?
Ein logisches Volume vergrößern, während es eingehängt ist
Wie signiere ich ein Android-Paket vor dem Hochladen?
Neue Firmware über die serielle Schnittstelle auf einen Mikrocontroller spielen
Wie schreibe ich einen Unit-Test für eine React-Komponente?
Ein Zertifikat in einen Java-Keystore importieren
Warum ist mein regulärer Ausdruck bei langen Zeilen so langsam?
Wie gruppiere ich die Zeilen eines Dataframes nach Monat?
Einen Entscheidungsbaum trainieren
Eine Netzwerkfreigabe beim Hochfahren einbinden
Auf welchem Port lauscht der Mailserver?
Wie bringe ich einen Smart Contract in ein Testnetz?

Wann pflanzt man Tomaten ins Freie?
Wer hat den Don Quijote geschrieben?
Wie bekomme ich Rotweinflecken aus dem Teppich?
Wann öffnet das Freibad am Sonntag?
Was hilft gegen Rückenschmerzen?
Wann steht ein Fußballspieler im Abseits?
Wie weit ist der Mond entfernt?
Wie strickt man einen Schal?
Der billigste Flug nach Lissabon
Was kostet ein Klempner in der Stunde?
Was frisst ein Igel im Winter?
Wann kommen die Schwalben zurück?
"""

_FRENCH = """\
Comment renouveler les identifiants d'un courtier de messages sans interruption ?
agrandir un volume logique pendant qu'il est monté
Comment signer un paquet Android avant de l'envoyer ?
flasher un microcontrôleur par le port série
Comment écrire un test unitaire pour un composant React ?
importer un certificat dans un magasin de clés Java
Pourquoi mon expression rationnelle est-elle si lente sur de longues lignes ?
Comment regrouper les lignes d'un dataframe par mois ?
entraîner un arbre de décision
monter un partage réseau au démarrage
Sur quel port écoute le serveur de courrier ?
Comment déployer un contrat intelligent sur un réseau de test ?

Quand planter les tomates en pleine terre ?
Qui a écrit Don Quichotte ?
Comment enlever une tache de vin rouge sur un tapis ?
À quelle heure ouvre la piscine le dimanche ?
Que faire contre le mal de dos ?
Quand un footballeur est-il hors-jeu ?
À quelle distance se trouve la Lune ?
Comment tricoter une écharpe ?
le vol le moins cher pour Lisbonne
Combien coûte un plombier de l'heure ?
Que mange un hérisson en hiver ?
Quand reviennent les hirondelles ?
"""

_SPANISH = """\
¿Cómo cambio las credenciales de un bróker de mensajes sin interrupción?
ampliar un volumen lógico mientras está montado
¿Cómo firmo un paquete de Android antes de subirlo?
grabar el firmware de un microcontrolador por el puerto serie
¿Cómo escribo una prueba unitaria para un componente de React?
importar un certificado en un almacén de claves de Java
¿Por qué es tan lenta mi expresión regular con líneas largas?
¿Cómo agrupo por mes las filas de un dataframe?
entrenar un árbol de decisión
montar una unidad de red al arrancar
¿En qué puerto escucha el servidor de correo?
¿Cómo despliego un contrato inteligente en una red de pruebas?

¿Cuándo se plantan los tomates?
¿Quién escribió el Quijote?
¿Cómo quito una mancha de vino tinto de la alfombra?
¿A qué hora abre la piscina los domingos?
¿Qué ayuda contra el dolor de espalda?
¿Cuándo está un futbolista en fuera de juego?
¿A qué distancia está la Luna?
¿Cómo se teje una bufanda?
el vuelo más barato a Lisboa
¿Cuánto cobra un fontanero por hora?
¿Qué come un erizo en invierno?
¿Cuándo vuelven las golondrinas?
"""

_PORTUGUESE = """\
Como trocar as credenciais de um broker de mensagens sem interrupção?
aumentar um volume lógico enquanto está montado
Como assinar um pacote Android antes de enviá-lo?
gravar o firmware de um microcontrolador pela porta serial
Como escrever um teste unitário para um componente React?
importar um certificado em um keystore Java
Por que minha expressão regular é tão lenta em linhas longas?
Como agrupar as linhas de um dataframe por mês?
treinar uma árvore de decisão
montar um compartilhamento de rede na inicialização
Em que porta o servidor de e-mail escuta?
Como publicar um contrato inteligente em uma rede de testes?

Quando se plantam os tomates?
Quem escreveu Dom Quixote?
Como tirar mancha de vinho tinto do tapete?
A que horas abre a piscina no domingo?
O que ajuda contra dor nas costas?
Quando um jogador de futebol está impedido?
A que distância fica a Lua?
Como se faz um cachecol de tricô?
o voo mais barato para Lisboa
Quanto cobra um encanador por hora?
O que um ouriço come no inverno?
Quando voltam as andorinhas?
"""

_RUSSIAN = """\
Как сменить учётные данные брокера сообщений без простоя?
увеличить логический том, не размонтируя его
Как подписать пакет Android перед отправкой в магазин?
прошить микроконтроллер через последовательный порт
Как написать модульный тест для компонента React?
импортировать сертификат в хранилище ключей Java
Почему моё регулярное выражение так медленно работает на длинных строках?
Как сгруппировать строки датафрейма по месяцам?
обучить дерево решений
подключать сетевую папку при загрузке
На каком порту слушает почтовый сервер?
Как развернуть смарт-контракт в тестовой сети?

Когда высаживать помидоры в грунт?
Кто написал «Дон Кихота»?
Как вывести пятно красного вина с ковра?
Во сколько открывается бассейн в воскресенье?
Что помогает от боли в спине?
Когда футболист оказывается в положении вне игры?
На каком расстоянии находится Луна?
Как связать шарф?
самый дешёвый рейс в Лиссабон
Сколько берёт сантехник за час?
Чем питается ёж зимой?
Когда прилетают ласточки?
"""

_CHINESE = """\
怎样在不停机的情况下更换消息代理的凭据？
在逻辑卷挂载时扩大它
上传之前怎么给安卓安装包签名？
通过串口给单片机刷固件
怎么为 React 组件写单元测试？
把证书导入 Java 密钥库
为什么我的正则表达式处理长行这么慢？
怎样按月份对数据框的行分组？
训练一棵决策树
开机时挂载网络共享
邮件服务器监听哪个端口？
怎样把智能合约部署到测试网？

番茄什么时候种到地里？
《堂吉诃德》是谁写的？
地毯上的红酒渍怎么去掉？
游泳池星期天几点开门？
腰疼怎么办？
足球运动员什么时候算越位？
月亮离地球有多远？
怎么织围巾？
去里斯本最便宜的机票
水管工一小时多少钱？
刺猬冬天吃什么？
燕子什么时候飞回来？
"""

_JAPANESE = """\
停止せずにメッセージブローカーの認証情報を入れ替えるには？
マウントしたまま論理ボリュームを広げる
アップロードする前にAndroidパッケージに署名するには？
シリアルポートからマイコンにファームウェアを書き込む
Reactコンポーネントの単体テストの書き方
Javaのキーストアに証明書を取り込む
長い行で正規表現がとても遅いのはなぜ？
データフレームの行を月ごとにまとめるには？
決定木を学習させる
起動時にネットワーク共有をマウントする
メールサーバーはどのポートで待ち受ける？
スマートコントラクトをテストネットに展開するには？

トマトはいつ植える？
ドン・キホーテの作者は誰？
絨毯の赤ワインの染みを落とすには？
日曜日のプールは何時に開く？
腰痛に効くものは？
サッカーでオフサイドになるのはいつ？
月までの距離はどれくらい？
マフラーの編み方
リスボン行きの一番安い航空券
水道屋さんは一時間いくら？
ハリネズミは冬に何を食べる？
ツバメはいつ帰ってくる？
"""

_KOREAN = """\
중단 없이 메시지 브로커의 인증 정보를 바꾸려면?
마운트된 상태에서 논리 볼륨 늘리기
올리기 전에 안드로이드 패키지에 서명하는 방법
직렬 포트로 마이크로컨트롤러에 펌웨어 올리기
리액트 컴포넌트의 단위 테스트는 어떻게 작성하나요?
자바 키 저장소에 인증서 가져오기
긴 줄에서 정규식이 왜 이렇게 느린가요?
데이터프레임의 행을 월별로 묶으려면?
의사 결정 나무 학습시키기
부팅할 때 네트워크 공유 폴더 연결하기
메일 서버는 어느 포트를 쓰나요?
스마트 계약을 테스트넷에 배포하려면?

토마토는 언제 심나요?
돈키호테는 누가 썼나요?
카펫에 묻은 적포도주 얼룩은 어떻게 빼나요?
일요일에 수영장은 몇 시에 여나요?
허리 통증에는 무엇이 좋은가요?
축구에서 오프사이드는 언제인가요?
달은 얼마나 멀리 있나요?
목도리는 어떻게 뜨나요?
리스본으로 가는 가장 싼 항공권
배관공은 시간당 얼마인가요?
고슴도치는 겨울에 무엇을 먹나요?
제비는 언제 돌아오나요?
"""


def _parted(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    near, far = text.strip().split("\n\n")
    return tuple(near.split("\n")), tuple(far.split("\n"))


TRANSLATED: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "de": _parted(_GERMAN),
    "fr": _parted(_FRENCH),
    "es": _parted(_SPANISH),
    "pt": _parted(_PORTUGUESE),
    "ru": _parted(_RUSSIAN),
    "zh": _parted(_CHINESE),
    "ja": _parted(_JAPANESE),
    "ko": _parted(_KOREAN),
}
"""(near, far) by language."""
